import type { Dispatcher } from "undici";
import type { CompleteOptions } from "./complete-options.ts";
import { connectionError } from "./connection-error.ts";
import { MAX_BODY_BYTES, TOO_LONG } from "./decode-body.ts";
import { AgentLogConfigError } from "./errors.ts";
import type { ReadGate } from "./read-gate.ts";
import { type RawAgentLogConfig, readResponse, type WireResponse } from "./read-response.ts";
import type { RequestQueue } from "./request-queue.ts";

/** What a read needs. */
interface ReadPlan {
  readonly queue: RequestQueue;
  readonly options: CompleteOptions;
  readonly request: Dispatcher.DispatchOptions;
  /** What failed if the read does. */
  readonly subject: string;
  readonly signal: AbortSignal | undefined;
  readonly gate: ReadGate | undefined;
}

/** How many times its time limit a read may wait for its turn. */
const PATIENCE_IN_TIMEOUTS = 20;

/** The time limit of a read in an outage, in seconds. */
const OUTAGE_LIMIT_SECONDS = 5;

/**
 * One read: as many requests as it takes until a response counts, the time is over or the caller gives the read up. The time
 * in the queue is limited apart, because it says nothing about the service. undici's own interceptor for retries would join the
 * parts of two responses.
 */
export async function retriedRead(plan: ReadPlan): Promise<RawAgentLogConfig> {
  const { queue, options, subject, signal, gate } = plan;
  let secondsLeft = options.timeoutSeconds;
  let failure: AgentLogConfigError | undefined;
  for (let retries = 0; ; retries += 1) {
    // Most reads need not wait, and have no timer for it.
    const connection = queue.take() ?? (await turnOf(plan));
    const sentAt = performance.now();
    try {
      const refusal = gate?.refusalOf(subject) ?? (gate?.isOutage === true ? failure : undefined);
      if (refusal !== undefined) throw refusal;
      return readResponse(await responseTo(plan, connection, secondsLeft), subject);
    } catch (cause) {
      signal?.throwIfAborted();
      const hasCaCertificate = options.caCertificate !== undefined;
      failure = cause instanceof AgentLogConfigError ? cause : connectionError(cause, subject, hasCaCertificate);
    } finally {
      queue.return(connection);
    }
    const wait = waitBeforeRetry(failure, retries);
    secondsLeft -= (performance.now() - sentAt + wait) / 1000;
    const isLast = retries >= options.maxRetries || secondsLeft <= 0 || gate?.isOutage === true;
    if (isLast || !isRetryable(failure)) throw failure;
    await settled<void>(plan, undefined, (resolve) => {
      const timer = setTimeout(resolve, wait);
      return () => clearTimeout(timer);
    });
  }
}

/** Waits for a connection. */
function turnOf(plan: ReadPlan): Promise<Dispatcher> {
  const seconds = plan.options.timeoutSeconds * PATIENCE_IN_TIMEOUTS;
  const says = `its turn did not come within ${seconds} s, because the reads before it are slow; read fewer projects at once`;
  return settled(plan, { seconds, says }, (resolve) => plan.queue.enter(resolve));
}

/** Sends the request and waits for its response. */
function responseTo(plan: ReadPlan, connection: Dispatcher, secondsLeft: number): Promise<WireResponse> {
  const { options, request, subject, gate } = plan;
  const isShort = gate?.isOutage === true && secondsLeft > OUTAGE_LIMIT_SECONDS;
  const says = isShort
    ? `no response within ${OUTAGE_LIMIT_SECONDS} s, the limit after the reads of other projects have failed; check the service and the network`
    : `no response within ${options.timeoutSeconds} s; check the network, or raise timeoutSeconds`;
  const seconds = isShort ? OUTAGE_LIMIT_SECONDS : secondsLeft;
  return settled(plan, { seconds, says }, (resolve, reject) => {
    const response = new PendingResponse(subject, resolve, reject);
    connection.dispatch(request, response);
    return () => response.giveUp();
  });
}

type Controller = Dispatcher.DispatchController;

/** Collects a response. */
class PendingResponse implements Dispatcher.DispatchHandler {
  readonly #subject: string;
  readonly #resolve: (response: WireResponse) => void;
  readonly #reject: (reason: unknown) => void;
  /** undefined before the request has a connection, and after its end. */
  #controller: Controller | undefined;
  #isGivenUp = false;
  #status = 0;
  #headers: WireResponse["headers"] = {};
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(subject: string, resolve: (response: WireResponse) => void, reject: (reason: unknown) => void) {
    this.#subject = subject;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // A request can't be aborted before it has a connection.
    if (this.#isGivenUp) controller.abort(GIVEN_UP);
  }

  onResponseStart(_: Controller, status: number, headers: WireResponse["headers"]): void {
    [this.#status, this.#headers] = [status, headers];
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= MAX_BODY_BYTES) return;
    const says = `the response ${TOO_LONG}; check baseUrl`;
    controller.abort(new AgentLogConfigError("ERR_INVALID_RESPONSE", says, { subject: this.#subject }));
  }

  onResponseEnd(): void {
    this.#controller = undefined;
    const [first] = this.#chunks;
    const body = first?.length === this.#length ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Controller | null, error: Error): void {
    this.#controller = undefined;
    this.#reject(error);
  }

  giveUp(): void {
    this.#isGivenUp = true;
    this.#controller?.abort(GIVEN_UP);
  }
}

const GIVEN_UP = new Error("The read was given up.");

/**
 * Waits until something has settled, its time is over or the caller gives the read up.
 * @param limit how long it may take, and what is reported if it takes longer
 * @param begin starts it, and returns what ends it
 */
async function settled<Result>(
  { subject, signal }: ReadPlan,
  limit: { readonly seconds: number; readonly says: string } | undefined,
  begin: (resolve: (result: Result) => void, reject: (reason: unknown) => void) => () => void,
): Promise<Result> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const end = begin(resolve, reject);
  // It ends at once, because a connection that came before the next turn would be lost.
  const stop = (reason: unknown) => {
    reject(reason);
    end();
  };
  const timeOut = ({ says }: { readonly says: string }) =>
    stop(new AgentLogConfigError("ERR_TIMEOUT", says, { subject }));
  const timer = limit && setTimeout(timeOut, limit.seconds * 1000, limit);
  const giveUp = () => stop(signal?.reason);
  signal?.addEventListener("abort", giveUp);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
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
 * Milliseconds: the time that the service asks for, and half a second, doubled with each retry, less up to half of it at
 * random, so that clients do not all come back at once.
 */
function waitBeforeRetry(error: AgentLogConfigError, retries: number): number {
  return (error.retryAfterSeconds ?? 0) * 1000 + 500 * 2 ** retries * (1 - Math.random() / 2);
}
