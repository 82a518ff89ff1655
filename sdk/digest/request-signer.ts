// A named import of hash would fail on older versions of Node.js, before they are refused in a sentence.
import crypto from "node:crypto";
import type { DigestChallenge } from "./digest-challenge.ts";

/** Both are ASCII, as the keys of the service are. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Signs requests with the nonce of one challenge. */
export class RequestSigner {
  readonly #challenge: DigestChallenge;
  /** The nonce of the client. */
  readonly #cnonce: string;
  /** The hash of A1, which is the same for all requests. */
  readonly #keyHash: string;
  /** The parameters of the header that are the same for all requests. */
  readonly #constant: string;

  constructor(challenge: DigestChallenge, { username, password }: Credentials, cnonce: string) {
    const { nonce, realm, opaque, algorithm, hash, session, qop } = challenge;
    const secret = hexadecimalHash(hash, `${username}:${realm}:${password}`);
    this.#challenge = challenge;
    this.#cnonce = cnonce;
    // RFC 7616, section 3.4.2
    this.#keyHash = session ? hexadecimalHash(hash, `${secret}:${nonce}:${cnonce}`) : secret;
    this.#constant = [
      `Digest username="${quotable(username)}", realm="${quotable(realm)}", nonce="${quotable(nonce)}"`,
      opaque === undefined ? "" : `, opaque="${quotable(opaque)}"`,
      algorithm === undefined ? "" : `, algorithm=${algorithm}`,
      qop === undefined ? "" : `, qop=${qop}, cnonce="${cnonce}"`,
    ].join("");
  }

  /**
   * Signs one request.
   * @param count the nonce count, from 1
   * @param uri the request target exactly as it goes over the wire (RFC 7616, section 3.4.6); it has no character that has to be quoted
   * @returns the value of the `Authorization` header
   * @see RFC 7616, section 3.4.1
   */
  sign(count: number, method: string, uri: string): string {
    const { hash, nonce, qop } = this.#challenge;
    const nc = count.toString(16).padStart(8, "0");
    // Without qop there is no count (RFC 2069).
    const [parameter, countPart] = qop === undefined ? ["", ""] : [`, nc=${nc}`, `${nc}:${this.#cnonce}:${qop}:`];
    const request = hexadecimalHash(hash, `${method}:${uri}`);
    const response = hexadecimalHash(hash, `${this.#keyHash}:${nonce}:${countPart}${request}`);
    return `${this.#constant}${parameter}, uri="${uri}", response="${response}"`;
  }
}

function quotable(text: string): string {
  return text.replace(/["\\]/g, "\\$&");
}

/** OpenSSL does not allow the hash that the server asks for, as it does not allow MD5 in FIPS mode. */
export class UnavailableHash extends Error {
  readonly algorithm: string;

  constructor(algorithm: string, cause: unknown) {
    super(`OpenSSL does not allow ${algorithm}.`, { cause });
    this.algorithm = algorithm;
  }
}

/** Node.js returns headers with one character for each byte, so latin1 gives back the bytes that the server sent. */
function hexadecimalHash(algorithm: string, text: string): string {
  try {
    return crypto.hash(algorithm, Buffer.from(text, "latin1"), "hex");
  } catch (cause) {
    const isUnsupported = cause instanceof Error && "code" in cause && cause.code === "ERR_OSSL_EVP_UNSUPPORTED";
    throw isUnsupported ? new UnavailableHash(algorithm.toUpperCase(), cause) : cause;
  }
}
