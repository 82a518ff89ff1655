import type { Dispatcher } from "undici";
import type { Connection } from "./connection.ts";
import { connectionError } from "./connection-error.ts";
import { MAX_BODY_LENGTH, TOO_LONG } from "./decode-body.ts";
import { AgentLogConfigError } from "./errors.ts";
import { type RawAgentLogConfig, readResponse, type WireResponse } from "./read-response.ts";
import type { RequestQueue } from "./request-queue.ts";

type Controller = Dispatcher.DispatchController;

/** What a read needs. */
interface ReadPlan {
  readonly dispatcher: Dispatcher;
  readonly queue: RequestQueue;
  readonly connection: Connection;
  readonly request: Dispatcher.DispatchOptions;
  /** How the message of an error begins. */
  readonly failure: string;
  readonly signal: AbortSignal | undefined;
}

/** One read: as many requests as it takes until a response counts, the time is over or the caller gives the read up. */
export class PendingRead implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<RawAgentLogConfig>;
  readonly #plan: ReadPlan;
  readonly #resolve: (response: RawAgentLogConfig) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #deadline: number;
  readonly #timer: NodeJS.Timeout;
  /** Runs between two requests. */
  #pause: NodeJS.Timeout | undefined;
  #repeats = 0;
  #isOver = false;
  #controller: Controller | undefined;
  #status = 0;
  #headers: WireResponse["headers"] = {};
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(plan: ReadPlan) {
    const { promise, resolve, reject } = Promise.withResolvers<RawAgentLogConfig>();
    const milliseconds = plan.connection.timeoutSeconds * 1000;
    this.outcome = promise;
    this.#plan = plan;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = performance.now() + milliseconds;
    this.#timer = setTimeout(() => this.#cancel(this.#timeout()), milliseconds);
    plan.signal?.addEventListener("abort", this.#giveUp);
    plan.queue.enter(this.#send);
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
    const message = `${this.#plan.failure}: the response ${TOO_LONG}; check baseUrl.`;
    controller.abort(new AgentLogConfigError("ERR_INVALID_RESPONSE", message));
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    const [first] = this.#chunks;
    const body = first?.length === this.#length ? first : Buffer.concat(this.#chunks);
    try {
      const response = readResponse({ status: this.#status, headers: this.#headers, body }, this.#plan.failure);
      this.#end();
      this.#resolve(response);
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (!this.#isOver) this.#fail(error);
  }

  readonly #send = () => {
    this.#controller = undefined;
    this.#chunks = [];
    this.#length = 0;
    try {
      this.#plan.dispatcher.dispatch(this.#plan.request, this);
    } catch (error) {
      this.#fail(error);
    }
  };

  /** Repeats the whole request where that may help; undici's own interceptor would join the parts of two responses. */
  #fail(cause: unknown): void {
    const { failure, connection, queue } = this.#plan;
    const hasCaCertificate = connection.caCertificate !== undefined;
    const error = cause instanceof AgentLogConfigError ? cause : connectionError(cause, failure, hasCaCertificate);
    const milliseconds = waitBeforeRepeat(error, this.#repeats);
    const isInTime = performance.now() + milliseconds < this.#deadline;
    if (!isRepeatable(error) || this.#repeats >= connection.maxRetries || !isInTime) {
      this.#end();
      this.#reject(error);
      return;
    }
    this.#repeats += 1;
    queue.leave(this.#send);
    this.#pause = setTimeout(() => queue.enter(this.#send), milliseconds);
  }

  readonly #giveUp = () => this.#cancel(this.#plan.signal?.reason);

  #timeout(): AgentLogConfigError {
    const { failure, connection } = this.#plan;
    const message = `${failure}: no response within ${connection.timeoutSeconds} s; check the network, or raise timeoutSeconds.`;
    return new AgentLogConfigError("ERR_TIMEOUT", message);
  }

  #cancel(reason: unknown): void {
    this.#end();
    this.#controller?.abort(new Error("The read is over."));
    this.#reject(reason);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#pause);
    this.#plan.signal?.removeEventListener("abort", this.#giveUp);
    this.#plan.queue.leave(this.#send);
  }
}

/** Outages are retried, except status 500, which the service sends for its own defects. */
function isRepeatable(error: AgentLogConfigError): boolean {
  return error.temporary && error.status !== 500;
}

/**
 * The time that the service asks for, and half a second, doubled with each repeat, less up to half of it at random, so that
 * clients do not all come back at once.
 */
function waitBeforeRepeat(error: AgentLogConfigError, repeats: number): number {
  return (error.retryAfterSeconds ?? 0) * 1000 + 500 * 2 ** repeats * (1 - Math.random() / 2);
}
