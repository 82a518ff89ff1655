/** What went wrong, as {@link DigestError.code} says it. */
export type DigestErrorCode =
  | "ERR_DIGEST_MALFORMED_CHALLENGE"
  | "ERR_DIGEST_UNSUPPORTED_CHALLENGE"
  | "ERR_DIGEST_SERVER_NOT_VERIFIED"
  | "ERR_DIGEST_BODY_NOT_REPLAYABLE";

const BRAND = Symbol.for("pulumi-agent-log-config.DigestError");

/**
 * A Digest exchange that can't go on. It reaches the caller as the failure of the request.
 *
 * - `ERR_DIGEST_MALFORMED_CHALLENGE`: the challenge breaks the grammar of RFC 9110, section 11.
 * - `ERR_DIGEST_UNSUPPORTED_CHALLENGE`: nothing in the challenge can be answered (RFC 7616, section 3.7).
 * - `ERR_DIGEST_SERVER_NOT_VERIFIED`: the server's `rspauth` is wrong: it does not know the password (RFC 7616, section 3.5).
 * - `ERR_DIGEST_BODY_NOT_REPLAYABLE`: the server answered 401 to a request whose body, a stream, is gone.
 *
 * `instanceof` holds for errors of every installed copy of the package.
 */
export class DigestError extends Error {
  override readonly name = "DigestError";
  readonly code: DigestErrorCode;

  /** @internal */
  protected get [BRAND](): true {
    return true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  constructor(code: DigestErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
