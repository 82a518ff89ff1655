// A named import of hash would fail on older versions of Node.js, before they are refused in a sentence.
import crypto, { randomBytes } from "node:crypto";
import type { DigestChallenge } from "./digest-challenge.ts";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** How characters beyond ASCII become bytes where the challenge does not say. */
export type Encoding = "utf8" | "latin1";

/** What the credentials of all requests for one target have in common. */
interface Target {
  readonly method: string;
  readonly uri: string;
  /** The credentials up to the response. */
  readonly opening: string;
  /** What is hashed after the nonce count. */
  readonly closing: string;
}

/** Signs requests with the nonce of one challenge: it has one cnonce, and keeps the hashes that stay the same. */
export class Signer {
  readonly #challenge: DigestChallenge;
  readonly #credentials: Credentials;
  readonly #isLatin1: boolean;
  readonly #cnonce = randomBytes(8).toString("hex");
  readonly #opening: string;
  /** What is hashed before the nonce count. */
  readonly #hashOpening: string;
  readonly #hasAsciiNonce: boolean;
  #lastTarget: Target | undefined;

  /** @param encoding that of the credentials, unless the challenge names one */
  constructor(challenge: DigestChallenge, credentials: Credentials, encoding: Encoding) {
    this.#challenge = challenge;
    this.#credentials = credentials;
    this.#isLatin1 = encoding === "latin1" && !challenge.utf8;
    const { realm, nonce } = challenge;
    this.#opening = `Digest ${this.#usernameParameter()}, realm="${quotable(realm)}", nonce="${quotable(nonce)}"`;
    this.#hasAsciiNonce = isAscii(nonce);
    this.#hashOpening = `${this.#hashA1()}:${nonce}:`;
  }

  /**
   * Signs one request.
   * @param count the nonce count, from 1
   * @param uri the request target exactly as it goes over the wire (RFC 7616, section 3.4.6)
   * @returns the value of the `Authorization` header
   * @see RFC 7616, section 3.4.1
   */
  authorize(count: number, method: string, uri: string): string {
    const { opening, closing } = this.#targetOf(method, uri);
    if (this.#challenge.qop === undefined) return `${opening}${this.#response("", closing)}"`;
    const nc = hexadecimal(count);
    return `${opening}${this.#response(nc, closing)}", nc=${nc}`;
  }

  /** Computes the `rspauth` of a server that knows the password, for the request with this count (RFC 7616, section 3.5). */
  expectedRspauth(count: number, uri: string): string {
    const nc = this.#challenge.qop === undefined ? "" : hexadecimal(count);
    return this.#response(nc, this.#hashClosing("", uri));
  }

  /** Most requests have the same target as the one before. */
  #targetOf(method: string, uri: string): Target {
    const last = this.#lastTarget;
    if (last !== undefined && last.uri === uri && last.method === method) return last;
    const { opaque, algorithm, qop } = this.#challenge;
    const opening = [
      `${this.#opening}, uri="${quotable(uri)}"`,
      opaque === undefined ? "" : `, opaque="${quotable(opaque)}"`,
      algorithm === undefined ? "" : `, algorithm=${algorithm}`,
      qop === undefined ? "" : `, qop=${qop}, cnonce="${this.#cnonce}"`,
      ', response="',
    ].join("");
    this.#lastTarget = { method, uri, opening, closing: this.#hashClosing(method, uri) };
    return this.#lastTarget;
  }

  #response(nc: string, closing: string): string {
    const text = this.#hashOpening + nc + closing;
    return this.#hasAsciiNonce ? crypto.hash(this.#challenge.hash, text, "hex") : this.#hash(text);
  }

  /** The part after the nonce count. Without qop, there is neither a count nor a cnonce (RFC 2069). */
  #hashClosing(method: string, uri: string): string {
    const ha2 = this.#hash(`${method}:${uri}`);
    const { qop } = this.#challenge;
    return qop === undefined ? ha2 : `:${this.#cnonce}:${qop}:${ha2}`;
  }

  // RFC 7616, section 3.4.2
  #hashA1(): string {
    const { realm, nonce, session } = this.#challenge;
    const { username, password } = this.#credentials;
    const a1 = this.#hash(`${this.#encode(username)}:${realm}:${this.#encode(password)}`);
    return session ? this.#hash(`${a1}:${nonce}:${this.#cnonce}`) : a1;
  }

  // RFC 7616, sections 3.4 and 3.4.4
  #usernameParameter(): string {
    const { realm, userhash, utf8 } = this.#challenge;
    const { username } = this.#credentials;
    if (userhash) return `username="${this.#hash(`${this.#encode(username)}:${realm}`)}", userhash=true`;
    if (utf8 && !isAscii(username)) return `username*=UTF-8''${encodeExtendedValue(username)}`;
    return `username="${quotable(this.#encode(username))}"`;
  }

  /** Encodes text as the bytes that the server expects, one character for each byte, as everywhere in HTTP headers. */
  #encode(text: string): string {
    return this.#isLatin1 ? text : Buffer.from(text, "utf8").toString("latin1");
  }

  #hash(text: string): string {
    // ASCII has the same bytes in UTF-8, and making a buffer takes as long as the hash.
    return crypto.hash(this.#challenge.hash, isAscii(text) ? text : Buffer.from(text, "latin1"), "hex");
  }
}

/** The encodings that servers may expect these credentials in, the most usual one first. */
export function encodingsOf({ username, password }: Credentials): readonly [Encoding, ...Encoding[]] {
  const text = username + password;
  return isAscii(text) || /[^\0-\xff]/.test(text) ? ["utf8"] : ["utf8", "latin1"];
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

// RFC 8187, section 3.2.1: attr-char leaves out some of what encodeURIComponent keeps.
function encodeExtendedValue(text: string): string {
  return encodeURIComponent(text).replace(
    /[*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
