import {
  type DigestConnection,
  DigestRequest,
  type UnsignedRequest,
  type WireResponse,
} from "../digest/digest-request.ts";
import type { CompleteOptions } from "./complete-options.ts";
import { connectionError } from "./connection-error.ts";
import { AgentLogConfigError } from "./errors.ts";
import type { ReadGate } from "./read-gate.ts";
import { type ResponseContent, readResponse } from "./read-response.ts";
import type { RequestQueue } from "./request-queue.ts";

/** What a read needs. */
interface ReadPlan {
  readonly queue: RequestQueue;
  readonly options: CompleteOptions;
  readonly request: UnsignedRequest;
  /** What failed if the read does. */
  readonly subject: string;
  readonly signal: AbortSignal | undefined;
  readonly gate: ReadGate | undefined;
}

/** The time limit of a read in an outage, in seconds. */
const OUTAGE_LIMIT_SECONDS = 5;

/**
 * One read: it waits for a connection, and keeps it until a response counts, the time is over or the caller gives it up. So at
 * most as many reads are retried as there are connections. undici's own interceptor for retries would join the parts of two
 * responses.
 */
export async function retriedRead(plan: ReadPlan): Promise<ResponseContent> {
  const { queue } = plan;
  // Most reads need not wait.
  const connection =
    queue.take() ?? (await until<DigestConnection>(plan, undefined, (resolve) => queue.enter(resolve)));
  try {
    return await readOver(connection, plan);
  } finally {
    queue.return(connection);
  }
}

async function readOver(connection: DigestConnection, plan: ReadPlan): Promise<ResponseContent> {
  const { options, subject, gate } = plan;
  let secondsLeft = options.timeoutSeconds;
  let failure: AgentLogConfigError | undefined;
  for (let retries = 0; ; retries += 1) {
    // Other reads may have found out while this one waited.
    const known = gate?.refusalOf(subject) ?? (gate?.isOutage === true ? failure : undefined);
    if (known !== undefined) throw known;
    const sentAt = performance.now();
    const outcome = await readOnce(connection, plan, secondsLeft);
    if (!(outcome instanceof AgentLogConfigError)) return outcome;
    failure = outcome;
    const wait = waitBeforeRetry(failure, retries);
    secondsLeft -= (performance.now() - sentAt + wait) / 1000;
    const isLast = retries >= options.maxRetries || secondsLeft <= 0 || gate?.isOutage === true;
    if (isLast || !isRetryable(failure)) throw failure;
    await until<void>(plan, undefined, (resolve) => {
      const timer = setTimeout(resolve, wait);
      return () => clearTimeout(timer);
    });
  }
}

/** Sends the request and reads its response. */
async function readOnce(
  connection: DigestConnection,
  plan: ReadPlan,
  secondsLeft: number,
): Promise<ResponseContent | AgentLogConfigError> {
  const { options, request, subject, signal, gate } = plan;
  const isShort = gate?.isOutage === true && secondsLeft > OUTAGE_LIMIT_SECONDS;
  const says = isShort
    ? `no response within ${OUTAGE_LIMIT_SECONDS} s, the limit after the reads of other projects have failed; check the service and the network`
    : `no response within ${options.timeoutSeconds} s; check the network, or raise timeoutSeconds`;
  const limit = { seconds: isShort ? OUTAGE_LIMIT_SECONDS : secondsLeft, says };
  try {
    const response = await until<WireResponse>(plan, limit, (resolve, reject) => {
      const sent = new DigestRequest(connection, request);
      sent.send().then(resolve, reject);
      return () => sent.giveUp();
    });
    return readResponse(response, subject);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof AgentLogConfigError) return cause;
    return connectionError(cause, subject, options.caCertificate !== undefined);
  }
}

/**
 * Waits for something, until its time is over or the caller gives the read up.
 * @param limit how long it may take, and what is reported if it takes longer
 * @param begin starts it, and returns what ends it
 */
async function until<Result>(
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
