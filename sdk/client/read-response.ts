import type { ServiceVersion } from "./agent-log-config-result.ts";
import { decodeBody } from "./decode-body.ts";
import { AgentLogConfigError } from "./errors.ts";
import { isObject } from "./is-object.ts";
import { printable } from "./printable.ts";
import { readRetryAfter, serviceError } from "./service-error.ts";
import { readServiceVersion } from "./service-version.ts";

/** An answer as the service sent it. It may hold credentials. */
export interface RawAgentLogConfig {
  /** The body, decompressed and decoded. */
  readonly text: string;
  /** The parsed text, out of its envelope. */
  readonly body: unknown;
  /** undefined where the service does not say. */
  readonly serviceVersion: ServiceVersion | undefined;
}

/** An answer as it came over the wire. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Reads what the service answered, with or without an envelope (contract, sections 4.4 and 4.6).
 * @param failure how the message of an error begins
 * @throws {@link AgentLogConfigError} for a refusal, and for what is no answer of the service
 */
export function readResponse({ status, headers, body }: WireResponse, failure: string): RawAgentLogConfig {
  const header = (name: string) => String(headers[name] ?? "");
  const text = attempt(() => decodeBody(body, header("content-encoding"), header("content-type")));
  const parsed = text instanceof Error ? text : attempt<unknown>(() => JSON.parse(text));
  const { status: worst, content } = unwrap(status, parsed);
  if (worst === 401 && /\bstale\s*=\s*"?true/i.test(header("www-authenticate"))) throw noncesForgotten(failure);
  if (worst >= 400) throw serviceError(worst, content, failure, readRetryAfter(headers["retry-after"]));
  const invalid = (why: string) =>
    new AgentLogConfigError(
      "ERR_INVALID_RESPONSE",
      `${failure}: ${printable(why)}; check baseUrl and proxies on the way.`,
    );
  if (status >= 300 && status < 400) throw invalid(`it redirects to ${placeOf(header("location"))} (status ${status})`);
  if (status !== 200) throw invalid(`the answer has status ${status} instead of 200`);
  if (text instanceof Error) throw invalid(`the answer ${text.message}`);
  // The text is not quoted: it may be settings that were cut off.
  if (parsed instanceof Error)
    throw invalid(`the answer ${whyNoJson(text)} (${header("content-type") || "no content type"})`);
  return { text, body: content, serviceVersion: readServiceVersion(headers) };
}

/** Takes an answer out of its envelope; an error that came without one counts as well. */
function unwrap(status: number, body: unknown): { readonly status: number; readonly content: unknown } {
  const enveloped = isObject(body) && statusIn(body["status"]) > 0 && body["content"] !== undefined;
  const content = enveloped ? body["content"] : body;
  const inEnvelope = enveloped ? statusIn(body["status"]) : 0;
  const inError = isObject(content) ? statusIn(content["error"]) : 0;
  return { status: Math.max(status, inEnvelope, inError), content };
}

function statusIn(value: unknown): number {
  const isText = typeof value === "number" || typeof value === "string";
  return isText && /^[1-5]\d\d$/.test(String(value)) ? Number(value) : 0;
}

function whyNoJson(text: string): string {
  if (text.trim() === "") return "is empty";
  return text.trimStart().startsWith("<") ? "is a web page, not JSON" : "is no JSON, or was cut off";
}

/** Where a redirect leads, without what may be a token. */
function placeOf(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : "another address";
}

function attempt<T>(action: () => T): T | Error {
  try {
    return action();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The key is right, or at least not known to be wrong (RFC 7616, section 3.3: stale). */
function noncesForgotten(failure: string): AgentLogConfigError {
  const says =
    "the service forgets its nonces faster than they can be used, as one that restarts does; try again later";
  return new AgentLogConfigError("ERR_UNAVAILABLE", `${failure}: ${says} (status 401, stale).`, { status: 401 });
}
