import { sendSigned, type WireResponse } from "../digest/signed-request.ts";
import { type CheckedOptions, MAX_TIMEOUT_SECONDS } from "../model/connection-options.ts";
import { AgentLogConfigError, withEvidence } from "../model/errors.ts";
import type { Connection } from "../transport/connection.ts";
import { connectionError, type FailedRequest, routeOf } from "../transport/connection-error.ts";
import { ProxyError } from "../transport/proxy-connector.ts";
import { abortable } from "./abortable.ts";
import { parseResponse, type ResponseContent, type ResponseContext, refusalProvesKey } from "./parse-response.ts";

export interface PendingRead extends ResponseContext, FailedRequest {
  readonly options: CheckedOptions;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends the request of a read once, with its repeats for Digest.
 * @param end when the time of the read is over, on the clock of `performance`
 * @param earlierError that of the attempt before
 */
export async function attempt(
  connection: Connection,
  read: PendingRead,
  end: number,
  earlierError: AgentLogConfigError | undefined,
): Promise<ResponseContent> {
  const { request, envelope, signal, proxy } = read;
  connection.noteRequest();
  const { promise: answer, resolve, reject } = Promise.withResolvers<WireResponse>();
  let isOver = false;
  const stopDeadline = deadline(end, () => {
    isOver = true;
    // The request fails with the socket before this is called again.
    if (connection.endOpening()) return false;
    reject(timeoutError(read));
    return true;
  });
  try {
    sendSigned(connection, request, (response) => refusalProvesKey(response, envelope)).then(resolve, reject);
    const response = await abortable(answer, signal, () => connection.replace());
    if (response.status === 407 && proxy?.isForwarding) throw new ProxyError(proxy, response);
    return parseResponse(response, read);
  } catch (cause) {
    signal?.throwIfAborted();
    const error = cause instanceof AgentLogConfigError ? cause : connectionError(cause, read);
    throw isOver ? withEarlier(error, earlierError) : error;
  } finally {
    stopDeadline();
  }
}

/** Calls a function at the end of a time, and again as long as it returns false. Returns a function that ends this. */
function deadline(end: number, giveUp: () => boolean): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const giveUpNext = () => {
    immediate = setImmediate(() => giveUp() || giveUpNext());
  };
  // If the process was busy, a response may have come. Node.js reads it before it runs the immediate.
  const timer = setTimeout(giveUpNext, Math.max(0, end - performance.now()));
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

function timeoutError({ subject, proxy, options: { timeoutSeconds } }: PendingRead): AgentLogConfigError {
  const advice = timeoutSeconds < MAX_TIMEOUT_SECONDS ? ", or raise timeoutSeconds" : "";
  const says = `no response within ${timeoutSeconds} s; check the network${advice}`;
  return new AgentLogConfigError("ERR_TIMEOUT", says, { subject, evidence: routeOf(proxy) });
}

/** Says how the attempt before has failed if that was for another reason. */
function withEarlier(error: AgentLogConfigError, earlierError: AgentLogConfigError | undefined): AgentLogConfigError {
  if (earlierError === undefined || earlierError.details.says === error.details.says) return error;
  return error.withAdvice(
    `The attempt before failed: ${withEvidence(earlierError.details.says, earlierError.details)}.`,
  );
}
