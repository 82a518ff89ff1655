import { sendSigned, type WireResponse } from "../digest/signed-request.ts";
import type { CompleteOptions } from "../model/complete-options.ts";
import { MAX_TIMEOUT_SECONDS } from "../model/connection-options.ts";
import { AgentLogConfigError, withEvidence } from "../model/errors.ts";
import { abortable } from "../transport/abortable.ts";
import type { Connection } from "../transport/connection.ts";
import { connectionError, unreachedError } from "../transport/connection-error.ts";
import type { ConnectionPool } from "../transport/connection-pool.ts";
import { type EnvironmentProxy, ProxyError } from "../transport/environment-proxy.ts";
import type { ReadGate, ReadTurn } from "./read-gate.ts";
import { isErrorForKnownKey, type ResponseContent, readResponse, type SentRead } from "./read-response.ts";

interface ReadPlan extends ReadTurn, SentRead {
  readonly pool: ConnectionPool;
  readonly proxy: EnvironmentProxy | undefined;
  readonly options: CompleteOptions;
  readonly maxRetries: number;
  readonly gate: ReadGate;
  readonly onRetry: ((text: string) => void) | undefined;
}

/**
 * Makes one read. The read waits for a connection and its turn, and keeps both until it has a final response, its time is over, or
 * the caller gives it up. So at most 16 reads are retried at the same time, one on each connection. The interceptor of undici for
 * retries would join the parts of two responses.
 */
export async function retriedRead(plan: ReadPlan): Promise<ResponseContent> {
  const { pool, gate } = plan;
  const connection = await pool.take();
  try {
    return await gate.pass(plan, () => attempts(connection, plan));
  } finally {
    pool.giveBack(connection);
  }
}

async function attempts(connection: Connection, plan: ReadPlan): Promise<ResponseContent> {
  const { options, maxRetries, signal, gate } = plan;
  const end = performance.now() + options.timeoutSeconds * 1000;
  let error: AgentLogConfigError | undefined;
  for (let retries = 0; ; retries += 1) {
    const outcome = await attempt(connection, plan, end, error);
    if (!(outcome instanceof AgentLogConfigError)) return outcome;
    error = outcome;
    // Behind a load balancer, another connection may lead to a server that responds. The next read uses it, too.
    if (error.temporary) connection.replace();
    // The pause is 0.5 s, doubled with each retry, minus up to half of it at random, so that clients do not all come back at the
    // same time.
    const wait = (error.retryAfterSeconds ?? 0) * 1000 + 500 * 2 ** retries * (1 - Math.random() / 2);
    const isLast = retries >= maxRetries || performance.now() + wait >= end;
    if (isLast || !isRetryable(error)) throw afterAttempts(retries + 1, error);
    // A terminal cuts the end of a line, so the cause is short.
    const [cause = error.code] = error.details.evidence ?? [];
    plan.onRetry?.(`retry ${retries + 1} of ${maxRetries}, ${cause}`);
    const pause = Promise.withResolvers<void>();
    const timer = setTimeout(pause.resolve, wait);
    await abortable(pause.promise, signal, () => clearTimeout(timer));
    // In a busy program the pause may end late, and another read may have learned meanwhile that the key is refused.
    if (performance.now() >= end) throw afterAttempts(retries + 1, error);
    gate.admitAgain(plan);
  }
}

/** Says how often a read was tried. */
function afterAttempts(attempts: number, error: AgentLogConfigError): AgentLogConfigError {
  if (attempts === 1) return error;
  const { says, evidence = [], ...details } = error.details;
  const withCount = [...evidence, `after ${attempts} attempts`];
  return new AgentLogConfigError(error.code, says, { ...details, evidence: withCount });
}

/**
 * @param end when the time of the read is over, on the clock of `performance`
 * @param earlierError how the attempt before has failed
 */
async function attempt(
  connection: Connection,
  plan: ReadPlan,
  end: number,
  earlierError: AgentLogConfigError | undefined,
): Promise<ResponseContent | AgentLogConfigError> {
  const { request, envelope, signal, proxy } = plan;
  connection.beginRequest();
  const answer = Promise.withResolvers<WireResponse>();
  let immediate: NodeJS.Immediate | undefined;
  const giveUp = () => {
    answer.reject(timeoutError(connection, plan, earlierError));
    connection.replace();
  };
  // If the process was busy, a response may have come. Node.js reads it before it runs the immediate.
  const timer = setTimeout(
    () => {
      immediate = setImmediate(giveUp);
    },
    Math.max(0, end - performance.now()),
  );
  try {
    sendSigned(connection, request, (response) => isErrorForKnownKey(response, envelope)).then(
      answer.resolve,
      answer.reject,
    );
    const response = await abortable(answer.promise, signal, () => connection.replace());
    if (response.status === 407 && proxy?.isForwarding === true) throw new ProxyError(proxy, response);
    return readResponse(response, plan);
  } catch (cause) {
    signal?.throwIfAborted();
    return cause instanceof AgentLogConfigError ? cause : connectionError(cause, plan);
  } finally {
    clearTimeout(timer);
    clearImmediate(immediate);
  }
}

/** Says why the time of a read is over, and how the attempt before has failed if that was for another reason. */
function timeoutError(connection: Connection, plan: ReadPlan, earlierError?: AgentLogConfigError): AgentLogConfigError {
  const { timeoutSeconds } = plan.options;
  const advice = timeoutSeconds < MAX_TIMEOUT_SECONDS ? ", or raise timeoutSeconds" : "";
  const says = `no response within ${timeoutSeconds} s; check the network${advice}`;
  const { subject } = plan;
  const error = connection.isOpen ? new AgentLogConfigError("ERR_TIMEOUT", says, { subject }) : unreachedError(plan);
  if (earlierError === undefined || earlierError.details.says === error.details.says) return error;
  return error.advised(`The attempt before failed: ${withEvidence(earlierError.details.says, earlierError.details)}.`);
}

/**
 * Outages are retried, except status 500, which the service sends for its own defects, and status 401 with a stale challenge,
 * which is the last of several.
 */
function isRetryable({ temporary, status }: AgentLogConfigError): boolean {
  return temporary && status !== 500 && status !== 401;
}
