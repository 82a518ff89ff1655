// A named import of hash would fail on older versions of Node.js, before they are refused in a sentence.
import crypto, { randomBytes } from "node:crypto";
import type { DigestChallenge } from "./digest-challenge.ts";

/** Both are ASCII, as the keys of the service are. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Signs requests with the nonce of one challenge: it has one cnonce, and keeps the hashes that stay the same. */
export class Signer {
  readonly #challenge: DigestChallenge;
  readonly #cnonce = randomBytes(8).toString("hex");
  readonly #opening: string;
  /** What is hashed before the nonce count. */
  readonly #hashOpening: string;
  /** What is hashed after it. */
  readonly #hashMiddle: string;

  constructor(challenge: DigestChallenge, { username, password }: Credentials) {
    this.#challenge = challenge;
    const { realm, nonce, opaque, algorithm, qop, session } = challenge;
    this.#opening = [
      `Digest username="${quotable(username)}", realm="${quotable(realm)}", nonce="${quotable(nonce)}"`,
      opaque === undefined ? "" : `, opaque="${quotable(opaque)}"`,
      algorithm === undefined ? "" : `, algorithm=${algorithm}`,
      qop === undefined ? "" : `, qop=${qop}, cnonce="${this.#cnonce}"`,
    ].join("");
    this.#hashMiddle = `:${this.#cnonce}:${qop}:`;
    // RFC 7616, section 3.4.2
    const a1 = this.#hash(`${username}:${realm}:${password}`);
    this.#hashOpening = `${session ? this.#hash(`${a1}:${nonce}:${this.#cnonce}`) : a1}:${nonce}:`;
  }

  /**
   * Signs one request.
   * @param count the nonce count, from 1
   * @param uri the request target exactly as it goes over the wire (RFC 7616, section 3.4.6)
   * @returns the value of the `Authorization` header
   * @see RFC 7616, section 3.4.1
   */
  authorize(count: number, method: string, uri: string): string {
    const ha2 = this.#hash(`${method}:${uri}`);
    const begin = `${this.#opening}, uri="${quotable(uri)}"`;
    // Without qop there is no count (RFC 2069).
    if (this.#challenge.qop === undefined) return `${begin}, response="${this.#hash(this.#hashOpening + ha2)}"`;
    const nc = hexadecimal(count);
    return `${begin}, nc=${nc}, response="${this.#hash(this.#hashOpening + nc + this.#hashMiddle + ha2)}"`;
  }

  /** What the server sends comes with one character for each byte, as everywhere in HTTP headers. */
  #hash(text: string): string {
    // ASCII has the same bytes in UTF-8, and making a buffer takes as long as the hash.
    return crypto.hash(this.#challenge.hash, isAscii(text) ? text : Buffer.from(text, "latin1"), "hex");
  }
}

function hexadecimal(count: number): string {
  return (0x1_0000_0000 + count).toString(16).slice(1);
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function quotable(text: string): string {
  return text.replace(/["\\]/g, "\\$&");
}
