import { sendSigned, type UnsignedRequest, type WireResponse } from "../digest/signed-request.ts";
import { abortable } from "./abortable.ts";
import type { CompleteOptions } from "./complete-options.ts";
import type { Connection } from "./connection.ts";
import { connectionError } from "./connection-error.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { AgentLogConfigError } from "./errors.ts";
import type { ReadGate, Turn } from "./read-gate.ts";
import { type ResponseContent, readResponse } from "./read-response.ts";

interface ReadPlan extends Pick<Turn, "subject" | "signal"> {
  readonly pool: ConnectionPool;
  readonly options: CompleteOptions;
  readonly request: UnsignedRequest;
  /** The request asks for an envelope. */
  readonly envelope: boolean;
  readonly gate: ReadGate;
}

/** The time limit of a read in an outage, in milliseconds. */
const OUTAGE_LIMIT_MILLISECONDS = 5000;

/**
 * One read: it waits for a connection and its turn, and keeps both until a response counts, the time is over or the caller gives
 * it up. So at most as many reads are retried as there are connections. undici's own interceptor for retries would join the
 * parts of two responses.
 */
export async function retriedRead(plan: ReadPlan): Promise<ResponseContent> {
  const { pool, options, subject, signal, gate } = plan;
  const connection = await pool.take();
  try {
    const milliseconds = options.timeoutSeconds * 1000;
    return await gate.pass({ subject, signal, left: () => milliseconds }, () => {
      const end = performance.now() + milliseconds;
      return attempts(connection, plan, () => end - performance.now());
    });
  } finally {
    pool.giveBack(connection);
  }
}

async function attempts(connection: Connection, plan: ReadPlan, left: Turn["left"]): Promise<ResponseContent> {
  const { options, subject, signal, gate } = plan;
  for (let retries = 0; ; retries += 1) {
    const outcome = await attempt(connection, plan, left());
    if (!(outcome instanceof AgentLogConfigError)) return outcome;
    gate.pauseFor(outcome);
    // Not all clients come back at once: it is half a second, doubled with each retry, less up to half of it at random.
    const wait = gate.pauseMilliseconds + 500 * 2 ** retries * (1 - Math.random() / 2);
    const isLast = retries >= options.maxRetries || wait >= left() || gate.isOutage;
    if (isLast || !isRetryable(outcome)) throw outcome;
    const pause = Promise.withResolvers<void>();
    const timer = setTimeout(pause.resolve, wait);
    await abortable(pause.promise, signal, () => clearTimeout(timer));
    if (gate.isOutage) throw outcome;
    // Another read may have met a refusal meanwhile, or a longer Retry-After.
    await gate.admit({ subject, signal, left });
  }
}

async function attempt(
  connection: Connection,
  { options, request, envelope, subject, signal, gate }: ReadPlan,
  milliseconds: number,
): Promise<ResponseContent | AgentLogConfigError> {
  const isShort = gate.isOutage && milliseconds > OUTAGE_LIMIT_MILLISECONDS;
  const sent = Promise.withResolvers<WireResponse>();
  const timer = setTimeout(
    () => {
      const says = isShort
        ? `no response within ${OUTAGE_LIMIT_MILLISECONDS / 1000} s, the limit after other reads have failed; check the service and the network`
        : `no response within ${options.timeoutSeconds} s; check the network, or raise timeoutSeconds`;
      sent.reject(new AgentLogConfigError("ERR_TIMEOUT", says, { subject }));
      connection.replace();
    },
    isShort ? OUTAGE_LIMIT_MILLISECONDS : milliseconds,
  );
  try {
    sendSigned(connection, request).then(sent.resolve, sent.reject);
    return readResponse(await abortable(sent.promise, signal, () => connection.replace()), subject, envelope);
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
