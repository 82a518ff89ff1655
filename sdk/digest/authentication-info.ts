import { parseParameters } from "./challenge.ts";
import { DigestError } from "./digest-error.ts";
import { printable } from "./printable.ts";

/**
 * Verifies the server's proof that it knows the password, if it sent one, and reads the nonce to use next.
 * @param lines the values of all `Authentication-Info` lines; a header that breaks the grammar is ignored
 * @param expectedRspauth computes the `rspauth` that the password gives
 * @returns the next nonce, if the server named one
 * @throws {@link DigestError} for a wrong `rspauth`
 * @see RFC 7616, section 3.5, and RFC 7615, section 3
 */
export function readAuthenticationInfo(
  lines: string | readonly string[],
  expectedRspauth: () => string,
): string | undefined {
  const parameters = parseParameters([lines].flat().join(", "));
  const rspauth = parameters?.get("rspauth");
  // With auth-int the proof covers the body as well; this client never asks for auth-int.
  const verifiable = parameters?.get("qop")?.toLowerCase() !== "auth-int";
  if (rspauth !== undefined && verifiable && rspauth.toLowerCase() !== expectedRspauth()) {
    throw new DigestError(
      "ERR_DIGEST_SERVER_NOT_VERIFIED",
      `The server sent the wrong rspauth '${printable(rspauth)}', so it does not know the password: check the address.`,
    );
  }
  return parameters?.get("nextnonce");
}
