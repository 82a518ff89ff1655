import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { printable } from "../text/printable.ts";
import { AgentLogConfigError } from "./errors.ts";
import { type PlaceOf, parseArgument, strictObject } from "./parse-argument.ts";

/** How to reach the service, and the key to read with. */
export interface ConnectionOptions {
  /**
   * The address of the service, such as `https://example.com:8443`, with or without `/api/public/v1.0` and a slash at the
   * end. It has no user name, query or fragment.
   */
  readonly baseUrl: string;
  /** The public API key, which is the user name of HTTP Digest. */
  readonly publicKey: string;
  /** The private API key, which is the password of HTTP Digest. It is a secret. */
  readonly privateKey: string;
  /** Certificates of authorities to trust in addition to those that Node.js trusts: PEM text, or the path of a PEM file. */
  readonly caCertificate?: string | undefined;
  /** Allows `http:` addresses, over which the settings travel unencrypted. Default: false. */
  readonly allowHttp?: boolean | undefined;
  /**
   * Time limit of one whole read with its retries, in seconds; 0.001 to 3600. It begins when the first request of the read is sent,
   * so the time in which the read waits for other reads does not count. Default: 30.
   */
  readonly timeoutSeconds?: number | undefined;
  /** How often a read is retried in an outage, other than status 500 with a code of the service; 0 to 10. Default: 5. */
  readonly maxRetries?: number | undefined;
}

// Keys of the service are ASCII. A control character would end the header that carries the public one.
const KEY_RULE = "must be a non-empty string of ASCII characters without leading or trailing white space";
// Pulumi gives a map or a list to programs as JSON.
const ONE_VALUE_RULE = "is a map or a list; set it to one value";
const keySchema = z
  .string(KEY_RULE)
  .regex(/^(?![{[])/, ONE_VALUE_RULE)
  .regex(/^[!-~](?:[ -~]*[!-~])?$/, KEY_RULE);

/** The time limit of a read, in seconds. */
export const DEFAULT_TIMEOUT_SECONDS = 30;
export const MAX_TIMEOUT_SECONDS = 3600;

const TIMEOUT_RULE = `must be a number from 0.001 to ${MAX_TIMEOUT_SECONDS}`;
const RETRIES_RULE = "must be a whole number from 0 to 10";

export const connectionOptionsSchema = strictObject({
  baseUrl: z.string("must be a string"),
  publicKey: keySchema,
  privateKey: keySchema,
  caCertificate: z.string("must be PEM text or the path of a PEM file").optional(),
  allowHttp: z.boolean("must be true or false").optional(),
  timeoutSeconds: z.number(TIMEOUT_RULE).min(0.001, TIMEOUT_RULE).max(MAX_TIMEOUT_SECONDS, TIMEOUT_RULE).optional(),
  maxRetries: z.int(RETRIES_RULE).min(0, RETRIES_RULE).max(10, RETRIES_RULE).optional(),
}) satisfies z.ZodType<ConnectionOptions>;

/** The setting that is a secret. */
export const SECRET_CONNECTION_SETTING = "privateKey" satisfies keyof ConnectionOptions;

/** The connection with everything checked and every default filled in. */
export type CheckedOptions = ReturnType<typeof checkOptions>;

/** The path of the service's API, version 1.0. */
export const PREFIX = "/api/public/v1.0";

/** @throws AgentLogConfigError `ERR_INVALID_SETTINGS` that names what is wrong, and never a key */
export function checkOptions(options: unknown, placeOf: PlaceOf = () => undefined) {
  const subject = "The connection can't be used";
  const code = "ERR_INVALID_SETTINGS";
  const values = parseArgument(connectionOptionsSchema, options, subject, { code, placeOf });
  const { allowHttp = false, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, maxRetries = 5, ...others } = values;
  const withPlace = (name: string) => {
    const place = placeOf(name);
    return place === undefined ? name : `${name} (${place})`;
  };
  const invalidSetting = (name: string) => (says: string) =>
    new AgentLogConfigError(code, `${withPlace(name)} ${says}`, { subject });
  const baseUrl = checkBaseUrl(others.baseUrl, allowHttp, withPlace("allowHttp"), invalidSetting("baseUrl"));
  // An empty text is absent.
  const caCertificate = others.caCertificate
    ? parseCaCertificate(others.caCertificate, invalidSetting("caCertificate"))
    : undefined;
  return { ...others, baseUrl, caCertificate, allowHttp, timeoutSeconds, maxRetries };
}

type InvalidSetting = (says: string) => AgentLogConfigError;

/** @param setting how a message names `allowHttp` */
function checkBaseUrl(text: string, allowHttp: boolean, setting: string, invalidSetting: InvalidSetting): string {
  const example = "give an address such as https://example.com:8443";
  const url = URL.parse(text);
  // `host:port` parses as a scheme and a path. The text is not quoted, because it may be a secret.
  if (url === null || url.host === "") throw invalidSetting(`is not a URL with a scheme and a host; ${example}`);
  const publicAddress = withoutSecrets(text);
  const unusableAddress = (says: string, advice = example) => invalidSetting(`${says}: ${publicAddress}; ${advice}`);
  const { protocol, username, password, search, hash } = url;
  if (username !== "" || password !== "")
    throw unusableAddress("has credentials in it, which belong in publicKey and privateKey");
  if (protocol !== "https:" && protocol !== "http:")
    throw unusableAddress(`has the scheme ${printable(protocol, 80)} instead of https:`);
  if (hash !== "") throw unusableAddress("is the address of a page");
  if (search !== "") throw unusableAddress("has a query");
  if (protocol === "http:" && !allowHttp) {
    throw invalidSetting(`uses http: ${publicAddress}; use https, or set ${setting} if you trust the network`);
  }
  const [serviceAddress, ...rest] = splitAtPrefix(url);
  if (rest.some((part) => part !== "")) throw unusableAddress(`has a path after ${PREFIX}`, `use ${serviceAddress}`);
  const address = apiAddress(url);
  if (OTHER_PATH.test(address.slice(url.origin.length, -PREFIX.length)))
    throw unusableAddress("has the path of another API, or of a page of a project");
  return address;
}

/** What stands before {@link PREFIX} if the path is that of another API of the vendor, of another version, or of a project's page. */
const OTHER_PATH = /\/api\/(?:public|private|atlas)(?:\/|$)|\/[\da-f]{24}(?:\/|$)/i;

/** Returns the address of the API in one spelling for each service. */
export function apiAddress(url: URL): string {
  return `${splitAtPrefix(url)[0]}${PREFIX}`;
}

function splitAtPrefix({ origin, pathname }: URL): readonly string[] {
  return `${origin}${pathname.replace(/\/+/g, "/").replace(/\/$/, "")}`.split(PREFIX);
}

/** Returns what a message may show of an address: all but its credentials, query and fragment. */
function withoutSecrets(address: string): string {
  const publicPart = address.replace(/^([a-z][a-z\d+.-]*:\/*).*@/is, "$1***@").replace(/[?#].*/s, "");
  return JSON.stringify(printable(publicPart));
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function parseCaCertificate(textOrPath: string, invalidSetting: InvalidSetting): string {
  const isText = /-----BEGIN|\n/.test(textOrPath);
  if (isText && textOrPath.includes("PRIVATE KEY-----")) {
    throw invalidSetting("contains a private key; give the certificate alone, and replace a key that was recorded");
  }
  // In environment variables, the end of a line is often the characters \n or \r\n, perhaps with more backslashes.
  const pem = isText ? textOrPath.replaceAll(/\\+(?:r\\+)?n/g, "\n") : readFile(textOrPath, invalidSetting);
  try {
    const certificates = pem.match(CERTIFICATE)?.map((each) => new X509Certificate(each).toString());
    if (certificates !== undefined) return certificates.join("");
  } catch {}
  const whichFile = isText ? "" : `names the file ${printable(path.resolve(textOrPath))}, which `;
  throw invalidSetting(
    `${whichFile}contains no PEM certificate, or one that can't be read; give the text between BEGIN CERTIFICATE and END CERTIFICATE`,
  );
}

function readFile(file: string, invalidSetting: InvalidSetting): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    // A text that does not look like a path may be a secret that was set in the wrong place.
    const which = /^[./~\\]|^[a-z]:|\.(?:pem|crt|cer|ca)$/i.test(file) ? `: ${printable(path.resolve(file))}` : "";
    const why = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw invalidSetting(`is neither PEM text nor the path of a file that can be read${which}${why}; give one of them`);
  }
}
