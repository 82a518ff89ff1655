import { parseChallenges } from "../digest/challenge.ts";
import { printable } from "../digest/printable.ts";
import type { ServiceVersion } from "./agent-log-config-result.ts";
import { decodeBody } from "./decode-body.ts";
import { AgentLogConfigError } from "./errors.ts";
import { isObject } from "./is-object.ts";
import { serviceError } from "./service-error.ts";

/** A response as the service sent it. It may contain credentials. */
export interface RawAgentLogConfig {
  /** The body, decompressed and decoded. */
  readonly text: string;
  /** The parsed text, out of its envelope. */
  readonly body: unknown;
  /** undefined where the service does not report it. */
  readonly serviceVersion: ServiceVersion | undefined;
}

/** A response as it came over the wire. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Reads a response of the service, with or without an envelope.
 * @param subject what failed, for errors
 * @throws {@link AgentLogConfigError} for a refusal, and for a response that is not the service's
 */
export function readResponse({ status, headers, body }: WireResponse, subject: string): RawAgentLogConfig {
  const header = (name: string) => String(headers[name] ?? "");
  const text = attempt(() => decodeBody(body, header("content-encoding")));
  const parsed = text instanceof Error ? text : attempt<unknown>(() => JSON.parse(text));
  const { status: worst, content } = unwrap(status, parsed);
  if (worst >= 400) {
    const challenge = readChallenge([headers["www-authenticate"] ?? []].flat());
    throw serviceError(worst, content, subject, {
      challenge,
      retryAfterSeconds: readRetryAfter(headers["retry-after"]),
    });
  }
  const invalid = (says: string) =>
    new AgentLogConfigError("ERR_INVALID_RESPONSE", `${printable(says)}; check baseUrl and any proxy`, { subject });
  if (status >= 300) throw invalid(`the server redirects to ${placeOf(header("location"))} (status ${status})`);
  if (status !== 200) throw invalid(`the response has status ${status} instead of 200`);
  if (text instanceof Error) throw invalid(`the response ${text.message}`);
  // The text is not quoted: it may be settings that were cut off.
  if (parsed instanceof Error)
    throw invalid(`the response ${whyNoJson(text)} (${header("content-type") || "no content type"})`);
  return { text, body: content, serviceVersion: readServiceVersion(headers) };
}

function readChallenge(lines: readonly string[]): "fresh" | "stale" | undefined {
  const challenges = lines.flatMap((line) => parseChallenges(line).challenges);
  if (challenges.some(({ parameters }) => parameters.get("stale")?.toLowerCase() === "true")) return "stale";
  return challenges.length > 0 ? "fresh" : undefined;
}

/** Takes a body out of its envelope; an error without an envelope counts as well. */
function unwrap(status: number, body: unknown): { readonly status: number; readonly content: unknown } {
  if (!isObject(body)) return { status, content: body };
  const inEnvelope = body["content"] === undefined ? 0 : statusIn(body["status"]);
  const content = inEnvelope > 0 ? body["content"] : body;
  const inError = isObject(content) ? statusIn(content["error"]) : 0;
  return { status: Math.max(status, inEnvelope, inError), content };
}

function statusIn(value: unknown): number {
  const isText = typeof value === "number" || typeof value === "string";
  return isText && /^[1-5]\d\d$/.test(String(value)) ? Number(value) : 0;
}

function whyNoJson(text: string): string {
  if (text.trim() === "") return "is empty";
  return text.trimStart().startsWith("<") ? "is a web page instead of JSON" : "is not JSON, or was cut off";
}

/** Where a redirect leads, without its path, which may contain a token. */
function placeOf(location: string): string {
  const url = URL.parse(location);
  return url === null || url.origin === "null" ? "another address" : url.origin;
}

/** RFC 9110, section 5.6.7: the only form that servers may send today; Date.parse takes almost anything for a date. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Reads `Retry-After`, seconds or a date (RFC 9110, section 10.2.3); undefined for anything else. */
function readRetryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const seconds = IMF_FIXDATE.test(header) ? (Date.parse(header) - Date.now()) / 1000 : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function attempt<T>(action: () => T): T | Error {
  try {
    return action();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Reads the header with the service's version. Its name contains the vendor's, and its parts may be cut off or missing. */
export function readServiceVersion(headers: WireResponse["headers"]): ServiceVersion | undefined {
  const name = Object.keys(headers).find((key) => /^x-.+-service-version$/i.test(key));
  const value = name === undefined ? undefined : [headers[name] ?? []].flat()[0];
  if (value === undefined) return undefined;
  return { gitHash: GIT_HASH.exec(value)?.[1], versionString: VERSION_STRING.exec(value)?.[1] };
}

const GIT_HASH = /(?:^|;)\s*gitHash=([\w.+-]{1,100})\s*(?:;|$)/;
const VERSION_STRING = /(?:^|;)\s*versionString=([\w.+-]{1,100})\s*(?:;|$)/;
