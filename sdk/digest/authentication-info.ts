import { parseParameters } from "./challenge.ts";
import { DigestError } from "./digest-error.ts";

/**
 * Verifies that the server knows the password, where it proves that, and reads the nonce that it wants to see next.
 *
 * @param value the `Authentication-Info` header; what is not of its grammar is left unread
 * @param expectedRspauth what the password gives
 * @returns the next nonce, if the server named one
 * @throws {@link DigestError} where `rspauth` is not what the password gives
 * @see RFC 7616, section 3.5, and RFC 7615, section 3
 */
export function readAuthenticationInfo(value: string, expectedRspauth: () => string): string | undefined {
  const parameters = parseParameters(value);
  const rspauth = parameters?.get("rspauth");
  // With auth-int it would cover the body as well; this client never asks for that.
  const verifiable = parameters?.get("qop")?.toLowerCase() !== "auth-int";
  if (rspauth !== undefined && verifiable && rspauth.toLowerCase() !== expectedRspauth()) {
    throw new DigestError(
      "ERR_DIGEST_SERVER_NOT_VERIFIED",
      `The server's rspauth=${rspauth.slice(0, 128)} is wrong: whoever answered does not know the password.`,
    );
  }
  return parameters?.get("nextnonce");
}
