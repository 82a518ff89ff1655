import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { checkMembers, isFlag, type Rules, withPlace } from "./check-members.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { type AgentLogConfigError, invalidArgument } from "./errors.ts";
import { printable } from "./printable.ts";

/** The connection with everything checked and every default filled in. Checking it once more changes nothing. */
export interface Connection extends ConnectionOptions {
  /** Ends with {@link PREFIX}. */
  readonly baseUrl: string;
  /** PEM text of certificates alone. */
  readonly caCertificate: string | undefined;
  readonly allowHttp: boolean;
  readonly timeoutSeconds: number;
  readonly maxRetries: number;
}

/** The path of the service's API, version 1.0. */
export const PREFIX = "/api/public/v1.0";

/**
 * @param placeOf returns the place that a setting comes from, as a message names it
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` that names what is wrong, and never a key
 */
export function checkConnection(options: unknown, placeOf?: (name: string) => string | undefined): Connection {
  const failure = "The connection can't be used";
  checkMembers(options, RULES, failure, { isShown: (name) => SHOWN.has(name), placeOf });
  const { allowHttp = false, timeoutSeconds = 30, maxRetries = 3, publicKey, privateKey } = options;
  const refuse: Refuse = (name, why) => invalidArgument(`${failure}: ${withPlace(name, placeOf?.(name))} ${why}.`);
  const baseUrl = checkBaseUrl(options.baseUrl, allowHttp, refuse);
  const caCertificate = readCaCertificate(options.caCertificate, refuse);
  return { baseUrl, publicKey, privateKey, caCertificate, allowHttp, timeoutSeconds, maxRetries };
}

type Refuse = (name: keyof ConnectionOptions, why: string) => AgentLogConfigError;

const KEY = "must be a non-empty string without leading or trailing white space";
const RULES: Rules<ConnectionOptions> = {
  baseUrl: [(value) => typeof value === "string", "must be a string"],
  // A control character would end the header that carries it.
  publicKey: [
    (value): value is string => isKey(value) && !/[\p{Cc}\p{Cs}]/u.test(value),
    `${KEY} and without control characters`,
  ],
  privateKey: [isKey, KEY],
  caCertificate: [
    (value) => value === undefined || typeof value === "string",
    "must be PEM text or the path of a PEM file",
  ],
  allowHttp: [isFlag, "must be true or false"],
  timeoutSeconds: [
    (value): value is number | undefined =>
      value === undefined || (typeof value === "number" && value > 0 && value <= 3600),
    "must be a number greater than 0 and at most 3600",
  ],
  maxRetries: [
    (value): value is number | undefined =>
      value === undefined || [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].some((number) => number === value),
    "must be a whole number from 0 to 10",
  ],
};
/** The settings whose value a message may show. */
const SHOWN: ReadonlySet<string> = new Set(["baseUrl", "allowHttp", "timeoutSeconds", "maxRetries"]);

function isKey(value: unknown): value is string {
  return typeof value === "string" && /^(?!\s).+(?<!\s)$/s.test(value);
}

function checkBaseUrl(given: string, allowHttp: boolean, refuse: Refuse): string {
  const why = (says: string) =>
    refuse("baseUrl", `${says}: ${withoutSecrets(given)}; give an address such as https://example.com:8443`);
  const url = URL.parse(given);
  // An address without a scheme reads as a URL of the scheme "example.com:".
  if (url === null || url.host === "") throw why("is not a URL with a scheme and a host");
  const { protocol, origin, username, password, pathname, search, hash } = url;
  if (username !== "" || password !== "") throw why("has credentials in it, which belong in publicKey and privateKey");
  if (protocol !== "https:" && protocol !== "http:") throw why(`has the scheme ${protocol} instead of https:`);
  if (search !== "" || hash !== "") throw why("has a query or a fragment");
  if (protocol === "http:" && !allowHttp) {
    const advice = "use https, or set allowHttp if you trust the network";
    throw refuse("baseUrl", `uses http: ${withoutSecrets(given)}; ${advice}`);
  }
  const [path = "", ...behind] = pathname.replace(/\/+/g, "/").replace(/\/$/, "").split(PREFIX);
  if (behind.some((part) => part !== "")) throw why(`has a path after ${PREFIX}`);
  return `${origin}${path}${PREFIX}`;
}

/** What may be shown of an address: all but its credentials, query and fragment. */
function withoutSecrets(address: string): string {
  const shown = address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, "$1***@").replace(/[?#].*/s, "");
  return JSON.stringify(printable(shown, 200));
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

function readCaCertificate(textOrPath: string | undefined, refuse: Refuse): string | undefined {
  if (textOrPath === undefined) return undefined;
  const isText = /-----BEGIN|\n/.test(textOrPath);
  if (isText && textOrPath.includes("PRIVATE KEY-----")) {
    throw refuse(
      "caCertificate",
      "contains a private key; give the certificate alone, and replace a key that was recorded",
    );
  }
  // Environment variables often hold the ends of lines as two characters.
  const pem = isText ? textOrPath.replaceAll("\\n", "\n") : readFile(textOrPath, refuse);
  const certificates = pem.match(CERTIFICATE);
  if (certificates?.every(isCertificate)) return `${certificates.join("\n")}\n`;
  const what = isText ? "" : `names the file ${printable(textOrPath)}, which `;
  throw refuse("caCertificate", `${what}contains no PEM certificate, or one that can't be read`);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

function readFile(path: string, refuse: Refuse): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    // What does not look like a path may be a secret that went to the wrong place.
    const which = /^[./~\\]|^[a-z]:|\.(?:pem|crt|cer|ca)$/i.test(path) ? `: ${printable(path)}` : "";
    throw refuse("caCertificate", `is neither PEM text nor the path of a file that can be read${which}${code}`);
  }
}
