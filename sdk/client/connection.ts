import { readFileSync } from "node:fs";
import { z } from "zod";
import { describeIssues } from "./describe-issues.ts";
import { invalidArgument } from "./errors.ts";

/** How to reach the service, and as whom. */
export interface ConnectionOptions {
  /**
   * The address of the service, such as `https://example.com:8443`; with or without `/api/public/v1.0`, with or without a
   * slash at the end. No user, query or fragment.
   */
  readonly baseUrl: string;
  /** The public API key, the user name of HTTP Digest (contract, section 5). */
  readonly publicKey: string;
  /** The private API key, the password of HTTP Digest. Secret. */
  readonly privateKey: string;
  /** A certificate authority to trust besides the system's: PEM text, or the path of a PEM file. */
  readonly caCertificate?: string | undefined;
  /** Allows `http:` addresses, over which the settings travel in clear. Default: false. */
  readonly allowHttp?: boolean | undefined;
  /** Seconds that one whole read may take, its repeats included; more than 0, at most 3600. Default: 30. */
  readonly timeoutSeconds?: number | undefined;
  /** Times that a read is repeated after a cut connection or status 429, 502, 503 or 504, from 0 to 10. Default: 3. */
  readonly maxRetries?: number | undefined;
}

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

const key = z.string().min(1, "must not be empty");
const schema = z.strictObject({
  baseUrl: z.string(),
  publicKey: key.regex(/^\P{Cc}*$/u, "must not have control characters"),
  privateKey: key,
  caCertificate: key.optional(),
  allowHttp: z.boolean().default(false),
  timeoutSeconds: z.number().gt(0, "must be more than 0").max(3600, "must be at most 3600").default(30),
  maxRetries: z.int().min(0, "must be at least 0").max(10, "must be at most 10").default(3),
});

/** @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` that names what is wrong, never a key */
export function checkConnection(options: ConnectionOptions): Connection {
  const { success, data, error } = schema.safeParse(options);
  if (!success) throw invalidArgument(`The connection can't be used: ${describeIssues(error.issues)}.`);
  const { baseUrl, caCertificate, allowHttp, ...rest } = data;
  return { ...rest, baseUrl: checkBaseUrl(baseUrl, allowHttp), caCertificate: readCaCertificate(caCertificate) };
}

/** The contract, section 1 */
const PREFIX = "/api/public/v1.0";

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
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith(PREFIX) ? path : `${path}${PREFIX}`}`;
}

const CERTIFICATE = "-----BEGIN CERTIFICATE-----";

function readCaCertificate(textOrPath: string | undefined): string | undefined {
  if (textOrPath === undefined || textOrPath.includes(CERTIFICATE)) return textOrPath;
  // Text that is no certificate may be a key: it is not quoted.
  if (/-----BEGIN|\n/.test(textOrPath))
    throw invalidArgument("caCertificate is a text without a PEM certificate in it.");
  const pem = readFile(textOrPath);
  if (pem.includes(CERTIFICATE)) return pem;
  throw invalidArgument(`caCertificate: the file ${textOrPath} holds no PEM certificate.`);
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw invalidArgument(`caCertificate is neither PEM text nor the path of a file that can be read: ${path}${code}.`);
  }
}
