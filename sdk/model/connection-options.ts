import { z } from "zod";
import { strictObject } from "./parse-argument.ts";

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
  /**
   * Certificates of authorities to trust in addition to those that Node.js trusts: PEM text, or the path of a PEM file.
   */
  readonly caCertificate?: string | undefined;
  /** Allows `http:` addresses, over which the settings travel unencrypted. Default: false. */
  readonly allowHttp?: boolean | undefined;
  /**
   * Time limit of one whole read with its retries, in seconds; 0.001 to 3600. It begins when the first request of the read is sent,
   * so the time in which the read waits for other reads does not count. Default: 30.
   */
  readonly timeoutSeconds?: number | undefined;
  /**
   * How often a read is retried after a connection failure, too many requests, status 408, or a 5xx other than 500, 501, 505 and 511;
   * 0 to 10. Default: 5.
   */
  readonly maxRetries?: number | undefined;
}

// Keys of the service are ASCII. A control character would end the header that carries the public one.
const KEY = "must be a non-empty string of ASCII characters without leading or trailing white space";
// Pulumi gives a map or a list to programs as JSON.
const ONE_VALUE = "is a map or a list; set it to one value";
const key = z
  .string(KEY)
  .regex(/^[^{[]/, ONE_VALUE)
  .regex(/^[!-~](?:[ -~]*[!-~])?$/, KEY);
/** The highest time limit of a read, in seconds. */
export const MAX_TIMEOUT_SECONDS = 3600;
const TIMEOUT = `must be a number from 0.001 to ${MAX_TIMEOUT_SECONDS}`;
const RETRIES = "must be a whole number from 0 to 10";

/** What each setting must be. */
export const connectionOptionsSchema = strictObject({
  baseUrl: z.string("must be a string"),
  publicKey: key,
  privateKey: key,
  caCertificate: z.string("must be PEM text or the path of a PEM file").optional(),
  allowHttp: z.boolean("must be true or false").optional(),
  timeoutSeconds: z.number(TIMEOUT).min(0.001, TIMEOUT).max(MAX_TIMEOUT_SECONDS, TIMEOUT).optional(),
  maxRetries: z.int(RETRIES).min(0, RETRIES).max(10, RETRIES).optional(),
}) satisfies z.ZodType<ConnectionOptions>;

/** The setting that is a secret. */
export const SECRET_CONNECTION_SETTING = "privateKey" satisfies keyof ConnectionOptions;
