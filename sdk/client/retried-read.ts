import { type DigestConnection, SignedRequest, type UnsignedRequest } from "../digest/signed-request.ts";
import { abortable } from "./abortable.ts";
import type { CompleteOptions } from "./complete-options.ts";
import { connectionError } from "./connection-error.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { AgentLogConfigError } from "./errors.ts";
import type { ReadGate } from "./read-gate.ts";
import { type ResponseContent, readResponse } from "./read-response.ts";

interface ReadPlan {
  readonly pool: ConnectionPool;
  readonly options: CompleteOptions;
  readonly request: UnsignedRequest;
  /** The request asks for an envelope. */
  readonly envelope: boolean;
  /** What failed if the read does. */
  readonly subject: string;
  readonly signal: AbortSignal | undefined;
  readonly gate: ReadGate;
}

/** The time limit of a read in an outage, in seconds. */
const OUTAGE_LIMIT_SECONDS = 5;

/**
 * One read: it waits for a connection, and keeps it until a response counts, the time is over or the caller gives it up. So at
 * most as many reads are retried as there are connections. undici's own interceptor for retries would join the parts of two
 * responses.
 */
export async function retriedRead(plan: ReadPlan): Promise<ResponseContent> {
  const { pool, options, subject, signal, gate } = plan;
  const connection = await pool.take();
  try {
    let secondsLeft = options.timeoutSeconds;
    for (let retries = 0; ; retries += 1) {
      signal?.throwIfAborted();
      // Another read may have met it while this one waited.
      const refusal = gate.refusalOf(subject);
      if (refusal !== undefined) throw refusal;
      const sentAt = performance.now();
      const outcome = await attempt(connection, plan, secondsLeft);
      if (!(outcome instanceof AgentLogConfigError)) return outcome;
      const wait = waitBeforeRetry(outcome, retries);
      secondsLeft -= (performance.now() - sentAt + wait) / 1000;
      const isLast = retries >= options.maxRetries || secondsLeft <= 0 || gate.isOutage;
      if (isLast || !isRetryable(outcome)) throw outcome;
      const pause = Promise.withResolvers<void>();
      const timer = setTimeout(pause.resolve, wait);
      await abortable(pause.promise, signal, () => clearTimeout(timer));
      if (gate.isOutage) throw outcome;
    }
  } finally {
    pool.giveBack(connection);
  }
}

async function attempt(
  connection: DigestConnection,
  { options, request, envelope, subject, signal, gate }: ReadPlan,
  secondsLeft: number,
): Promise<ResponseContent | AgentLogConfigError> {
  const isShort = gate.isOutage && secondsLeft > OUTAGE_LIMIT_SECONDS;
  const seconds = isShort ? OUTAGE_LIMIT_SECONDS : secondsLeft;
  const signed = new SignedRequest(connection, request);
  const timer = setTimeout(() => {
    const says = isShort
      ? `no response within ${seconds} s, the limit after the reads of other projects have failed; check the service and the network`
      : `no response within ${options.timeoutSeconds} s; check the network, or raise timeoutSeconds`;
    signed.giveUp(new AgentLogConfigError("ERR_TIMEOUT", says, { subject }));
  }, seconds * 1000);
  try {
    const response = await abortable(signed.send(), signal, () => signed.giveUp(new Error("The read was given up.")));
    return readResponse(response, subject, envelope);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof AgentLogConfigError) return cause;
    return connectionError(cause, subject, options.caCertificate !== undefined);
  } finally {
    clearTimeout(timer);
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
