import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { ConnectionOptions } from "./connection-options.ts";
import { describeIssues } from "./describe-issues.ts";
import { invalidArgument } from "./errors.ts";

/** The connection with everything checked and every default filled in. */
export interface Connection {
  /** Ends with the path prefix of the contract, section 1, without a slash. */
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly privateKey: string;
  /** PEM text. */
  readonly caCertificate: string | undefined;
  readonly timeoutSeconds: number;
  readonly maxRetries: number;
}

const notEmpty = z.string().min(1, "must not be empty");
const key = notEmpty.regex(/^(?!\s).*(?<!\s)$/s, "must not begin or end with white space");
const schema = z.strictObject({
  baseUrl: z.string(),
  publicKey: key.regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not have control characters"),
  privateKey: key,
  caCertificate: notEmpty.optional(),
  allowHttp: z.boolean().default(false),
  timeoutSeconds: z.number().gt(0, "must be more than 0").max(3600, "must be at most 3600").default(30),
  maxRetries: z.int().min(0, "must be at least 0").max(10, "must be at most 10").default(3),
});

/** @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` that names what is wrong, never a key */
export function checkConnection(options: ConnectionOptions): Connection {
  const { success, data, error } = schema.safeParse(options);
  if (!success)
    throw invalidArgument(`The connection can't be used: ${describeIssues(error.issues, Object.keys(schema.shape))}.`);
  const { baseUrl, caCertificate, allowHttp, ...rest } = data;
  return { ...rest, baseUrl: checkBaseUrl(baseUrl, allowHttp), caCertificate: readCaCertificate(caCertificate) };
}

/** The path of the service's API, version 1.0. */
export const PREFIX = "/api/public/v1.0";

function checkBaseUrl(text: string, allowHttp: boolean): string {
  const refuse = (why: string) => invalidArgument(`baseUrl ${why}. Give an address such as https://example.com:8443.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // An address without a scheme reads as a URL of the scheme "example.com:".
  if (url === undefined || url.host === "") throw refuse("is not a URL with a scheme and a host");
  if (url.username !== "" || url.password !== "") {
    throw refuse("has credentials in it: set publicKey and privateKey instead");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") throw refuse(`has the scheme ${url.protocol}, not https:`);
  if (url.search !== "" || url.hash !== "") throw refuse("has a query or a fragment");
  if (url.protocol === "http:" && !allowHttp) {
    throw refuse("is a plain http address: use https, or set allowHttp to true where the network can be trusted");
  }
  const [path = "", ...behind] = url.pathname.replace(/\/+/g, "/").replace(/\/$/, "").split(PREFIX);
  if (behind.some((part) => part !== "")) throw refuse(`has a path behind ${PREFIX}`);
  return `${url.origin}${path}${PREFIX}`;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

function readCaCertificate(textOrPath: string | undefined): string | undefined {
  if (textOrPath === undefined) return undefined;
  const isText = /-----BEGIN|\n/.test(textOrPath);
  // Environment variables often hold the ends of lines as two characters.
  const text = isText ? textOrPath.replaceAll("\\n", "\n") : readFile(textOrPath);
  const certificates = text.match(CERTIFICATE);
  if (certificates?.every(isCertificate)) return text;
  throw invalidArgument(
    `caCertificate: ${isText ? "the text" : `the file ${textOrPath}`} holds no PEM certificate that can be read.`,
  );
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    // What does not look like a path may be a secret that went to the wrong place.
    const which = /^[./~\\]|^[a-z]:|\.(?:pem|crt|cer|ca)$/i.test(path) ? `: ${path}` : "";
    throw invalidArgument(`caCertificate is neither PEM text nor the path of a file that can be read${which}${code}.`);
  }
}
