import { isUtf8 } from "node:buffer";
import { unzipSync } from "node:zlib";
import type { UnsignedRequest, WireResponse } from "../digest/signed-request.ts";
import { isSettingName, type ServiceVersion } from "../model/agent-log-settings.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { isPlainObject } from "../text/json.ts";
import { printable } from "../text/printable.ts";
import { NEEDS_CERTIFICATE } from "../transport/connection-error.ts";
import { MAX_RESPONSE_BYTES } from "../transport/connection-factory.ts";
import { withAllFields } from "./decode-settings.ts";
import { codeProvesKey, errorCodeIn, gatewayWords, serviceError, statusIn } from "./service-error.ts";

/** What a response is read for. */
export interface ResponseContext {
  readonly request: UnsignedRequest;
  /** The request asks for an envelope; the service may nevertheless send none. */
  readonly envelope: boolean;
  /** How the message of an error begins. */
  readonly subject: string;
}

export interface ResponseContent {
  /** The settings out of their envelope, not checked yet. They may have credentials beside them. */
  readonly body: unknown;
  /** undefined if the service does not report it. */
  readonly serviceVersion: ServiceVersion | undefined;
}

/**
 * Takes the settings out of a response of the service.
 * @throws {@link AgentLogConfigError} for an error of the service, and for a response that is not the service's
 */
export function parseResponse(
  response: WireResponse,
  { request, envelope, subject }: ResponseContext,
): ResponseContent {
  const opened = openResponse(response, envelope);
  const { status, content, fields, unreadable, text } = opened;
  const { status: httpStatus, headers, isSigned } = response;
  const invalidResponse = (why: string, evidence: readonly string[] = []) => {
    const says = `${printable(why)}; check baseUrl and any proxy`;
    return new AgentLogConfigError("ERR_INVALID_RESPONSE", says, { subject, status, evidence });
  };
  if (status > 599) throw invalidResponse(`the response has a status that HTTP does not define (status ${status})`);
  if (REDIRECTS.has(httpStatus) && status < 400) {
    const target = targetOf(headers, new URL(request.path, request.origin));
    throw invalidResponse(`the server redirects to ${target} (status ${httpStatus})`);
  }
  if (status >= 400 || isError(fields)) throw errorIn(response, opened, subject);
  if (status !== 200) throw invalidResponse(`the response has status ${status} instead of 200`);
  if (unreadable !== undefined) {
    const kind = headerOf(headers, "content-type") || "no content type";
    // The title of a page may say why, such as a maintenance. No other text is quoted, because it may be settings.
    const title = unreadable === IS_PAGE ? gatewayWords({}, text) : "";
    throw invalidResponse(`the response ${unreadable} (${kind})`, title === "" ? [] : [title]);
  }
  if (!isSettings(fields)) {
    throw invalidResponse(`the response has none of the fields of log settings, but ${Object.keys(fields).join(", ")}`);
  }
  // A service of this kind asks for Digest first, so it is not the service's, and must not empty a record.
  if (isSigned !== true && !hasSetting(fields)) {
    throw invalidResponse("the response has no setting, and the server has not asked for HTTP Digest");
  }
  return { body: content, serviceVersion: parseServiceVersion(headers) };
}

function errorIn(
  { status: httpStatus, headers, refusal, isSigned }: WireResponse,
  { status, fields, text }: OpenedResponse,
  subject: string,
): AgentLogConfigError {
  // nginx accepts a connection without a certificate, and refuses the request with this page.
  if (text?.includes("No required SSL certificate was sent")) {
    return new AgentLogConfigError("ERR_TLS", NEEDS_CERTIFICATE, { subject, status, evidence: [`status ${status}`] });
  }
  const retryAfterSeconds = parseRetryAfter(headers);
  const isStatusInBody = httpStatus < 400;
  return serviceError(status, fields, subject, { retryAfterSeconds, refusal, isSigned, isStatusInBody, text });
}

/** Tells whether a response is an error that the service sends only to a key that it knows. */
export function refusalProvesKey(response: WireResponse, envelope: boolean): boolean {
  const { status, fields } = openResponse(response, envelope);
  return status < 500 && codeProvesKey(status, errorCodeIn(fields));
}

/** A response after it was decoded and taken out of its envelope. */
interface OpenedResponse {
  /** The highest of the HTTP status and those in the body. */
  readonly status: number;
  readonly content: unknown;
  /** The members of the content; none if it is no object. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why the body is no JSON. It quotes nothing of the body, which may be settings that were cut off. */
  readonly unreadable: string | undefined;
  /** The body, if it is a text or a page instead of JSON. */
  readonly text: string | undefined;
}

function openResponse({ status, headers, body }: WireResponse, envelope: boolean): OpenedResponse {
  const { json, unreadable, text } = parseJson(decompress(body, headerOf(headers, "content-encoding")));
  const { envelopeStatus = status, content } = envelope ? openEnvelope(json) : { content: json };
  const fields: Readonly<Record<string, unknown>> = isPlainObject(content) ? content : {};
  const highestStatus = Math.max(status, envelopeStatus, statusIn(fields["error"]) ?? status);
  return { status: highestStatus, content, fields, unreadable, text };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function headerOf(headers: WireResponse["headers"], name: string): string {
  // White space at its end is no part of it (RFC 9110, section 5.5).
  return String(headers[name] ?? "").trim();
}

/** Some proxies compress all responses, although the client asks for no compression. What can't be decompressed is read as it is. */
function decompress(body: Uint8Array, coding: string): Uint8Array {
  if (!/^(?:(?:x-)?gzip|deflate)$/i.test(coding)) return body;
  try {
    return unzipSync(body, { maxOutputLength: MAX_RESPONSE_BYTES });
  } catch {
    return body;
  }
}

interface ParsedBody extends Partial<Pick<OpenedResponse, "unreadable" | "text">> {
  readonly json?: unknown;
}

const UTF_8 = new TextDecoder("utf-8");
const LATIN_1 = new TextDecoder("latin1");

const IS_PAGE = "is a web page instead of JSON";

/** Parses a body as UTF-8, with or without a byte order mark (RFC 8259, section 8.1), and an error also as ISO-8859-1. */
function parseJson(body: Uint8Array): ParsedBody {
  const isText = isUtf8(body);
  const text = (isText ? UTF_8 : LATIN_1).decode(body);
  try {
    return { json: JSON.parse(text), ...(isText ? {} : { unreadable: "is not UTF-8" }) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (text.trim() === "") return { unreadable: "is empty" };
    return { text, unreadable: text.trimStart().startsWith("<") ? IS_PAGE : "is not JSON, or was cut off" };
  }
}

/** The fields that services of this kind send beside settings. */
const OTHER_FIELD = /^(?:name|urls|password|hasPassword|ldapGroupDN|kerberos[A-Z]\w*|sslPEMKey\w+|hasSslPEMKeyPwd)$/;

/** Every setting may be absent. If all of them are, every field must be one that services send beside settings. */
function isSettings(fields: object): boolean {
  const names = Object.keys(fields);
  return names.some(isSettingName) || names.every((name) => OTHER_FIELD.test(name));
}

/** A setting that is not valid is present, too. */
function hasSetting(fields: OpenedResponse["fields"]): boolean {
  return Object.values(withAllFields(fields)).some((value) => {
    return isPlainObject(value) ? Object.values(value).some((member) => member !== undefined) : value !== undefined;
  });
}

function isError(fields: object): boolean {
  return "error" in fields || "errorCode" in fields;
}

/** An envelope has two members, a status and the content, whose names the documentation does not give. */
function openEnvelope(json: unknown): { readonly envelopeStatus?: number | undefined; readonly content: unknown } {
  if (!isPlainObject(json) || isError(json) || isSettings(json)) return { content: json };
  const members = Object.values(json);
  const statuses = members.filter((member) => statusIn(member) !== undefined);
  const contents = members.filter((member) => statusIn(member) === undefined);
  const isEnvelope = statuses.length === 1 && contents.length === 1;
  return isEnvelope ? { envelopeStatus: statusIn(statuses[0]), content: contents[0] } : { content: json };
}

/** Returns the target of a redirect without its path, which may contain a token. */
function targetOf(headers: WireResponse["headers"], request: URL): string {
  const location = headerOf(headers, "location");
  const url = location === "" ? null : URL.parse(location, request);
  if (url === null || url.origin === "null") return "another address";
  return url.origin === request.origin ? "a path of the same server" : url.origin;
}

/** RFC 9110, section 5.6.7: the only form that servers may send today; Date.parse takes almost anything for a date. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses `Retry-After`, seconds or a date (RFC 9110, section 10.2.3); undefined for anything else. The seconds until a date count
 * from the `Date` of the response, because the clocks of two machines differ.
 */
function parseRetryAfter(headers: WireResponse["headers"]): number | undefined {
  const header = headerOf(headers, "retry-after");
  const sentAt = parseDate(headerOf(headers, "date"));
  const until = parseDate(header) ?? Number.NaN;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.max(0, (until - (sentAt ?? Date.now())) / 1000);
  // More than a day is no time to wait, but perhaps a point in time in seconds.
  return seconds <= 86_400 ? seconds : undefined;
}

function parseDate(header: string): number | undefined {
  const time = IMF_FIXDATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Parses the header with the service's version. Its name contains the vendor's, and its parts may be cut off or missing. */
function parseServiceVersion(headers: WireResponse["headers"]): ServiceVersion | undefined {
  const name = Object.keys(headers).find((key) => /^x-.+-service-version$/i.test(key));
  const value = name === undefined ? undefined : [headers[name] ?? []].flat()[0];
  if (value === undefined) return undefined;
  return { gitHash: GIT_HASH.exec(value)?.[1], versionString: VERSION_STRING.exec(value)?.[1] };
}

const GIT_HASH = /(?:^|;)\s*gitHash=([\w.+-]{1,100})\s*(?:;|$)/;
const VERSION_STRING = /(?:^|;)\s*versionString=([\w.+-]{1,100})\s*(?:;|$)/;
