/** The values of {@link DigestError.code}. */
export type DigestErrorCode =
  | "ERR_DIGEST_MALFORMED_CHALLENGE"
  | "ERR_DIGEST_UNSUPPORTED_CHALLENGE"
  | "ERR_DIGEST_SERVER_NOT_VERIFIED"
  | "ERR_DIGEST_BODY_NOT_REPLAYABLE";

const BRAND = Symbol.for("pulumi-agent-log-config.DigestError");

/**
 * A Digest exchange that failed. The caller gets it as the failure of the request.
 *
 * - `ERR_DIGEST_MALFORMED_CHALLENGE`: the challenge breaks the grammar of RFC 9110, section 11.
 * - `ERR_DIGEST_UNSUPPORTED_CHALLENGE`: the challenge offers nothing that is supported (RFC 7616, section 3.7).
 * - `ERR_DIGEST_SERVER_NOT_VERIFIED`: the server's `rspauth` is wrong, so it does not know the password (RFC 7616, section 3.5).
 * - `ERR_DIGEST_BODY_NOT_REPLAYABLE`: the server sent 401, and the body of the request is a stream, which can't be sent again.
 *
 * `instanceof` is true for errors of every installed copy of the package.
 *
 * @example
 * ```ts
 * import { DigestError, digest } from "pulumi-agent-log-config/digest";
 * import { Client } from "undici";
 *
 * const origin = "https://example.com:8443";
 * const client = new Client(origin).compose(digest({ username: "publickey", password: "private-key", origins: [origin] }));
 * try {
 *   await client.request({ path: "/status", method: "GET" });
 * } catch (error) {
 *   if (error instanceof DigestError) process.stderr.write(`${error.code}: ${error.message}\n`);
 * }
 * ```
 */
export class DigestError extends Error {
  /** The name of the class. */
  override readonly name = "DigestError";
  /** What went wrong. It stays the same when the wording of the message changes. */
  readonly code: DigestErrorCode;

  /** @internal */
  protected get [BRAND](): true {
    return true;
  }

  /** True for errors of every installed copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /**
   * @param code what went wrong
   * @param message one sentence for a person
   */
  constructor(code: DigestErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
