import { isUtf8 } from "node:buffer";
import { unzipSync } from "node:zlib";
import type { UnsignedRequest, WireResponse } from "../digest/signed-request.ts";
import {
  type AgentLogSettings,
  agentLogSettingsSchema,
  isSettingName,
  logRotateSchema,
  type ServiceVersion,
} from "../model/agent-log-settings.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { isObject, isPlainObject } from "../model/json.ts";
import { describeIssues } from "../model/parse-argument.ts";
import { printable } from "../model/printable.ts";
import { MAX_RESPONSE_BYTES } from "../transport/connection.ts";
import { NEEDS_CERTIFICATE } from "../transport/connection-error.ts";
import { errorCodeIn, gatewayWords, isForKnownKey, serviceError, statusIn } from "./service-error.ts";

export interface ResponseContent {
  /** The settings out of their envelope, not checked yet. They may have credentials beside them. */
  readonly body: unknown;
  /** undefined if the service does not report it. */
  readonly serviceVersion: ServiceVersion | undefined;
}

/**
 * Reads a response of the service, which is settings or an error.
 * @throws {@link AgentLogConfigError} for a refusal, and for a response that is not the service's
 */
export function readResponse(response: WireResponse, { request, envelope, subject }: SentRead): ResponseContent {
  const parts = openResponse(response, envelope);
  const { status, content, text, unreadable } = parts;
  const kind = classify(parts, response, request);
  if (kind === "settings") return { body: content, serviceVersion: readServiceVersion(response.headers) };
  if (kind === "error") {
    const { headers, refusal, isSigned } = response;
    // nginx accepts a connection without a certificate, and refuses the request with this page.
    if (text?.includes("No required SSL certificate was sent")) {
      throw new AgentLogConfigError("ERR_TLS", NEEDS_CERTIFICATE, { subject, status, evidence: [`status ${status}`] });
    }
    const isInBody = response.status < 400;
    const retryAfterSeconds = readRetryAfter(headers);
    throw serviceError(status, content, subject, { retryAfterSeconds, refusal, isSigned, isInBody, text });
  }
  const says = `${printable(kind.wrong)}; check baseUrl and any proxy`;
  // Its title may say why, such as a maintenance. No other text is quoted, because it may be settings.
  const title = unreadable === IS_PAGE ? gatewayWords({}, text) : "";
  throw new AgentLogConfigError("ERR_INVALID_RESPONSE", says, { subject, status, evidence: title ? [title] : [] });
}

/** Tells whether a response is an error that the service sends only to a key that it knows. */
export function isErrorForKnownKey(response: WireResponse, envelope: boolean): boolean {
  const { status, fields } = openResponse(response, envelope);
  return status < 500 && isForKnownKey(status, errorCodeIn(fields));
}

/** What was asked. */
export interface SentRead {
  readonly request: UnsignedRequest;
  /** The request asks for an envelope; the service may nevertheless send none. */
  readonly envelope: boolean;
  /** What failed, for errors. */
  readonly subject: string;
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
  const { inEnvelope = status, content } = envelope ? takeOut(json) : { content: json };
  const fields: Readonly<Record<string, unknown>> = isPlainObject(content) ? content : {};
  const highestStatus = Math.max(status, inEnvelope, statusIn(fields["error"]) ?? status);
  return { status: highestStatus, content, fields, unreadable, text };
}

/** Says what a response is; `wrong` says why it is neither settings nor an error of the service. */
function classify(
  { status, fields, unreadable }: OpenedResponse,
  { status: httpStatus, headers, isSigned }: WireResponse,
  { path, origin }: UnsignedRequest,
): "settings" | "error" | { readonly wrong: string } {
  if (status > 599) return { wrong: `the response has a status that HTTP does not define (status ${status})` };
  if (REDIRECTS.has(httpStatus) && status < 400)
    return { wrong: `the server redirects to ${targetOf(headers, new URL(path, origin))} (status ${httpStatus})` };
  if (status >= 400 || isError(fields)) return "error";
  if (status !== 200) return { wrong: `the response has status ${status} instead of 200` };
  if (unreadable !== undefined)
    return { wrong: `the response ${unreadable} (${headerOf(headers, "content-type") || "no content type"})` };
  if (!isSettings(fields))
    return { wrong: `the response has none of the fields of log settings, but ${Object.keys(fields).join(", ")}` };
  if (isSigned || hasSetting(fields)) return "settings";
  // A service of this kind asks for Digest first, so this comes from something in front of it, and no setting counts as removed.
  return { wrong: "the response has no setting, and the server has not asked for HTTP Digest" };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function headerOf(headers: WireResponse["headers"], name: string): string {
  // White space at its end is no part of it (RFC 9110, section 5.5).
  return String(headers[name] ?? "").trim();
}

/**
 * Some proxies compress all responses, although the client asks for no compression. A body that can't be decompressed stays as it
 * is, and is no JSON.
 */
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

const [UTF_8, LATIN_1] = [new TextDecoder("utf-8"), new TextDecoder("latin1")];

const IS_PAGE = "is a web page instead of JSON";

/** Reads a body as UTF-8, with or without a byte order mark (RFC 8259, section 8.1), and an error also as ISO-8859-1. */
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

/**
 * Tells whether these are the fields of log settings. Every setting may be absent. If all of them are, every field must be one
 * that services send beside settings.
 */
function isSettings(fields: object): boolean {
  const names = Object.keys(fields);
  return names.some(isSettingName) || names.every((name) => OTHER_FIELD.test(name));
}

/** Tells whether a setting is present. One that is not valid is present, too. */
function hasSetting(fields: OpenedResponse["fields"]): boolean {
  return Object.values(withAllFields(fields)).some((value) => {
    return isPlainObject(value) ? Object.values(value).some((member) => member !== undefined) : value !== undefined;
  });
}

function isError(fields: object): boolean {
  return "error" in fields || "errorCode" in fields;
}

/**
 * Takes a body out of its envelope, if it is in one. An envelope has two members, a status and the content, whose names the
 * documentation does not give.
 */
function takeOut(json: unknown): { readonly inEnvelope?: number | undefined; readonly content: unknown } {
  if (!isPlainObject(json) || isError(json) || isSettings(json)) return { content: json };
  const members = Object.values(json);
  const statuses = members.filter((member) => statusIn(member) !== undefined);
  const contents = members.filter((member) => statusIn(member) === undefined);
  const isEnvelope = statuses.length === 1 && contents.length === 1;
  return isEnvelope ? { inEnvelope: statusIn(statuses[0]), content: contents[0] } : { content: json };
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
 * Reads `Retry-After`, seconds or a date (RFC 9110, section 10.2.3); undefined for anything else. The seconds until a date count
 * from the `Date` of the response, because the clocks of two machines differ.
 */
function readRetryAfter(headers: WireResponse["headers"]): number | undefined {
  const [header, sentAt] = [headerOf(headers, "retry-after"), readDate(headerOf(headers, "date"))];
  const until = readDate(header) ?? Number.NaN;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.max(0, (until - (sentAt ?? Date.now())) / 1000);
  // More than a day is no time to wait, but perhaps a point in time in seconds.
  return seconds <= 86_400 ? seconds : undefined;
}

function readDate(header: string): number | undefined {
  const time = IMF_FIXDATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Reads the header with the service's version. Its name contains the vendor's, and its parts may be cut off or missing. */
function readServiceVersion(headers: WireResponse["headers"]): ServiceVersion | undefined {
  const name = Object.keys(headers).find((key) => /^x-.+-service-version$/i.test(key));
  const value = name === undefined ? undefined : [headers[name] ?? []].flat()[0];
  if (value === undefined) return undefined;
  return { gitHash: GIT_HASH.exec(value)?.[1], versionString: VERSION_STRING.exec(value)?.[1] };
}

const GIT_HASH = /(?:^|;)\s*gitHash=([\w.+-]{1,100})\s*(?:;|$)/;
const VERSION_STRING = /(?:^|;)\s*versionString=([\w.+-]{1,100})\s*(?:;|$)/;

/**
 * Reads the body of a successful response. Every setting is a member of the result, because only then does Pulumi lift the
 * members of an output, and so is each threshold that is set. Fields that are no settings are dropped, among them `password` and `sslPEMKeyPwd`.
 * @param subject what failed, for errors
 * @throws {@link AgentLogConfigError} `ERR_INVALID_RESPONSE` with the name of the setting that is wrong, never its value
 */
export function decodeAgentLogSettings(body: unknown, subject: string): AgentLogSettings {
  const settings = isPlainObject(body) ? withAllFields(body) : body;
  const { data, error } = agentLogSettingsSchema.safeParse(settings);
  // zod would drop the key __proto__ in silence, but a program that checks settings has to learn of it.
  const unusablePart = isObject(settings) ? findUnusable(settings["configOverrides"], MAX_DEPTH) : undefined;
  if (data !== undefined && unusablePart === undefined) {
    for (const [name, value] of Object.entries(data.logRotate))
      if (value === undefined) Reflect.deleteProperty(data.logRotate, name);
    return data;
  }
  const problem =
    unusablePart === undefined
      ? describeIssues(error?.issues ?? [], "the body")
      : `configOverrides must not ${unusablePart}`;
  const says = `the response can't be used, because ${problem}; check baseUrl and the version of the service`;
  throw new AgentLogConfigError("ERR_INVALID_RESPONSE", says, { subject, status: 200 });
}

/** The fields that are settings, each of them present. Services leave out what is not set, or send null, `""` or `{}`. */
function withAllFields(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { logRotate = {}, configOverrides = {}, ...texts } = pick(agentLogSettingsSchema.shape, body);
  const settings = { ...texts, logRotate, configOverrides };
  if (!isPlainObject(logRotate)) return settings;
  const thresholds = pick(logRotateSchema.shape, logRotate);
  for (const name in thresholds) thresholds[name] = toNumber(thresholds[name]);
  for (const [name, other] of OTHER_NAMES) thresholds[name] ??= toNumber(logRotate[other] ?? undefined);
  return { ...settings, logRotate: thresholds };
}

function pick(names: object, source: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name in names) members[name] = source[name] === "" ? undefined : (source[name] ?? undefined);
  return members;
}

/** Thresholds that have another name, too, which counts if the first one is absent. */
const OTHER_NAMES = [
  ["timeThresholdHrs", "timeDurationHrs"],
  ["numUncompressed", "maxUncompressed"],
] as const;

/** Services write sizes as 1000.0, and some clients store them as "1000" or "1e3". A text without characters is absent. */
function toNumber(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (value.trim() === "") return undefined;
  // Number also takes hexadecimal and binary numbers.
  return /^[\s\d.e+-]+$/i.test(value) && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** The most levels of a value. Real values have fewer, and with so few, code that walks the value does not run out of stack. */
const MAX_DEPTH = 100;

/**
 * Says why no program could use a value: it has a key that would set a prototype when it is copied, a number that JSON can't keep,
 * or it has too many levels.
 */
function findUnusable(value: unknown, levels: number): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return "have a number beyond the limits of JSON";
  if (!isObject(value)) return undefined;
  if (levels === 0) return `be nested deeper than ${MAX_DEPTH} levels`;
  for (const key of Object.keys(value)) {
    if (key === "__proto__") return "have the key __proto__";
    const unusablePart = findUnusable(value[key], levels - 1);
    if (unusablePart !== undefined) return unusablePart;
  }
  return undefined;
}
