import type { Dispatcher } from "undici";
import type { CompleteOptions } from "./complete-options.ts";
import { connectionError } from "./connection-error.ts";
import { MAX_BODY_LENGTH, TOO_LONG } from "./decode-body.ts";
import { AgentLogConfigError } from "./errors.ts";
import type { ReadGate } from "./read-gate.ts";
import { type RawAgentLogConfig, readResponse, type WireResponse } from "./read-response.ts";
import type { RequestQueue } from "./request-queue.ts";

type Controller = Dispatcher.DispatchController;

/** What a read needs. */
interface ReadPlan {
  readonly queue: RequestQueue;
  readonly connection: CompleteOptions;
  readonly request: Dispatcher.DispatchOptions;
  /** What failed if the read does. */
  readonly subject: string;
  readonly signal: AbortSignal | undefined;
  readonly gate: ReadGate | undefined;
}

/** How many times its time limit a read may wait for its turn. */
const PATIENCE_IN_TIMEOUTS = 20;

/** The time limit of a read in an outage, in milliseconds. */
const OUTAGE_LIMIT_MILLISECONDS = 5000;

/**
 * One read: as many requests as it takes until a response counts, the time is over or the caller gives the read up. The time
 * in the queue is limited apart, because it says nothing about the service.
 */
export class PendingRead implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<RawAgentLogConfig>;
  readonly #plan: ReadPlan;
  readonly #resolve: (response: RawAgentLogConfig) => void;
  readonly #reject: (reason: unknown) => void;
  /** What is left of the time limit, in milliseconds, when the request is sent. */
  #left: number;
  #sentAt = 0;
  /** Ends the wait in the queue, the request or the pause before the next one. */
  #timer: NodeJS.Timeout | undefined;
  #retries = 0;
  /** Why the last request failed. */
  #failure: AgentLogConfigError | undefined;
  #isOver = false;
  #controller: Controller | undefined;
  #status = 0;
  #headers: WireResponse["headers"] = {};
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(plan: ReadPlan) {
    const { promise, resolve, reject } = Promise.withResolvers<RawAgentLogConfig>();
    this.outcome = promise;
    this.#plan = plan;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#left = plan.connection.timeoutSeconds * 1000;
    plan.signal?.addEventListener("abort", this.#giveUp);
    this.#enterQueue();
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // A request can't be aborted before it has a connection.
    if (this.#isOver) controller.abort(new Error("The read is over."));
  }

  onResponseStart(_controller: Controller, status: number, headers: WireResponse["headers"]): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= MAX_BODY_LENGTH) return;
    const { subject } = this.#plan;
    controller.abort(
      new AgentLogConfigError("ERR_INVALID_RESPONSE", `the response ${TOO_LONG}; check baseUrl`, { subject }),
    );
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    const [first] = this.#chunks;
    const body = first?.length === this.#length ? first : Buffer.concat(this.#chunks);
    try {
      const response = readResponse({ status: this.#status, headers: this.#headers, body }, this.#plan.subject);
      this.#end();
      this.#resolve(response);
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (!this.#isOver) this.#fail(error);
  }

  #enterQueue(): void {
    const { connection, queue } = this.#plan;
    // Most requests are sent at once, and need no timer for the wait.
    if (queue.enter(this.#send)) return;
    const seconds = connection.timeoutSeconds * PATIENCE_IN_TIMEOUTS;
    this.#after(seconds * 1000, () =>
      this.#timeOut(
        `its turn did not come within ${seconds} s, because the reads before it are slow; read fewer projects at once`,
      ),
    );
  }

  readonly #send = (dispatcher: Dispatcher) => {
    const { connection, request, gate, subject } = this.#plan;
    const isOutage = gate?.isOutage === true;
    const reason = gate?.refusalOf(subject) ?? (isOutage ? this.#failure : undefined);
    if (reason !== undefined) return this.#cancel(reason);
    this.#controller = undefined;
    this.#chunks = [];
    this.#length = 0;
    this.#sentAt = performance.now();
    if (isOutage && this.#left > OUTAGE_LIMIT_MILLISECONDS) {
      this.#after(OUTAGE_LIMIT_MILLISECONDS, () =>
        this.#timeOut(
          `no response within ${OUTAGE_LIMIT_MILLISECONDS / 1000} s, the limit after the reads of other projects have failed; check the service and the network`,
        ),
      );
    } else {
      this.#after(this.#left, () =>
        this.#timeOut(`no response within ${connection.timeoutSeconds} s; check the network, or raise timeoutSeconds`),
      );
    }
    try {
      dispatcher.dispatch(request, this);
    } catch (error) {
      this.#fail(error);
    }
  };

  /** Sends the whole request again where that may help; undici's own interceptor would join the parts of two responses. */
  #fail(cause: unknown): void {
    const { subject, connection, queue, gate } = this.#plan;
    const hasCaCertificate = connection.caCertificate !== undefined;
    const error = cause instanceof AgentLogConfigError ? cause : connectionError(cause, subject, hasCaCertificate);
    const milliseconds = waitBeforeRetry(error, this.#retries);
    this.#left -= performance.now() - this.#sentAt + milliseconds;
    const isLast = this.#retries >= connection.maxRetries || this.#left <= 0 || gate?.isOutage === true;
    if (isLast || !isRetryable(error)) {
      this.#end();
      this.#reject(error);
      return;
    }
    this.#retries += 1;
    this.#failure = error;
    queue.leave(this.#send);
    this.#after(milliseconds, () => this.#enterQueue());
  }

  readonly #giveUp = () => this.#cancel(this.#plan.signal?.reason);

  #timeOut(why: string): void {
    this.#cancel(new AgentLogConfigError("ERR_TIMEOUT", why, { subject: this.#plan.subject }));
  }

  #cancel(reason: unknown): void {
    this.#end();
    this.#controller?.abort(new Error("The read is over."));
    this.#reject(reason);
  }

  #after(milliseconds: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, milliseconds);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#plan.signal?.removeEventListener("abort", this.#giveUp);
    this.#plan.queue.leave(this.#send);
  }
}

/**
 * Outages are retried, except status 500, which the service sends for its own defects, and status 401 with a stale challenge,
 * which is the last of several.
 */
function isRetryable({ temporary, status }: AgentLogConfigError): boolean {
  return temporary && status !== 500 && status !== 401;
}

/**
 * The time that the service asks for, and half a second, doubled with each retry, less up to half of it at random, so that
 * clients do not all come back at once.
 */
function waitBeforeRetry(error: AgentLogConfigError, retries: number): number {
  return (error.retryAfterSeconds ?? 0) * 1000 + 500 * 2 ** retries * (1 - Math.random() / 2);
}
