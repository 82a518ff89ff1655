// A named import of hash would fail on older versions of Node.js, before they are refused in a sentence.
import crypto from "node:crypto";
import type { DigestChallenge } from "./digest-challenge.ts";

/** Both are ASCII, as the keys of the service are. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** What a request is signed with. */
export interface SigningNonce {
  readonly challenge: DigestChallenge;
  readonly username: string;
  /** The nonce of the client. */
  readonly cnonce: string;
  /** See {@link keyHash}. */
  readonly keyHash: string;
  /** The nonce count, from 1. */
  readonly count: number;
}

/** Returns A1 hashed (RFC 7616, section 3.4.2), which is the same for all requests with a nonce. */
export function keyHash({ challenge, cnonce }: Pick<SigningNonce, "challenge" | "cnonce">, key: Credentials): string {
  const { hash, nonce, realm, session } = challenge;
  const secret = hexadecimalHash(hash, `${key.username}:${realm}:${key.password}`);
  return session ? hexadecimalHash(hash, `${secret}:${nonce}:${cnonce}`) : secret;
}

/**
 * Signs one request.
 * @param uri the request target exactly as it goes over the wire (RFC 7616, section 3.4.6)
 * @returns the value of the `Authorization` header
 * @see RFC 7616, section 3.4.1
 */
export function signRequest(nonce: SigningNonce, method: string, uri: string): string {
  const { challenge, username, cnonce, count } = nonce;
  const { realm, opaque, algorithm, qop } = challenge;
  const hash = (text: string) => hexadecimalHash(challenge.hash, text);
  const nc = count.toString(16).padStart(8, "0");
  // Without qop there is no count (RFC 2069).
  const counted = qop === undefined ? "" : `${nc}:${cnonce}:${qop}:`;
  const response = hash(`${nonce.keyHash}:${challenge.nonce}:${counted}${hash(`${method}:${uri}`)}`);
  return [
    `Digest username="${quotable(username)}", realm="${quotable(realm)}", nonce="${quotable(challenge.nonce)}"`,
    opaque === undefined ? "" : `, opaque="${quotable(opaque)}"`,
    algorithm === undefined ? "" : `, algorithm=${algorithm}`,
    qop === undefined ? "" : `, qop=${qop}, cnonce="${cnonce}", nc=${nc}`,
    `, uri="${quotable(uri)}", response="${response}"`,
  ].join("");
}

function quotable(text: string): string {
  return text.replace(/["\\]/g, "\\$&");
}

/** What the server sends comes with one character for each byte, as everywhere in HTTP headers. */
function hexadecimalHash(algorithm: string, text: string): string {
  // ASCII has the same bytes in UTF-8, and making a buffer takes as long as the hash.
  return crypto.hash(algorithm, /[^\0-\x7f]/.test(text) ? Buffer.from(text, "latin1") : text, "hex");
}
