import { hash, randomBytes } from "node:crypto";
import type { DigestChallenge } from "./digest-challenge.ts";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** What the credentials of all requests for one target have in common. */
interface Target {
  readonly method: string;
  readonly uri: string;
  /** The credentials up to the response. */
  readonly opening: string;
  /** What is hashed after the nonce count. */
  readonly closing: string;
}

// RFC 7616, section 3.4: nc is eight hexadecimal digits.
const MAX_NONCE_COUNT = 0xffffffff;

/** A nonce of the server and its use: the nonce count, one cnonce, and the hashes that stay the same. */
export class Nonce {
  /** How many requests were signed so far; it is the nonce count of the last one. */
  count = 0;
  /** How many requests wait for their response now. */
  inFlight = 0;
  /** How many requests the server accepted. */
  accepted = 0;
  /** True once the server has accepted or announced it. Then a refusal no longer means that the credentials are wrong. */
  kept = false;
  readonly #challenge: DigestChallenge;
  readonly #credentials: Credentials;
  readonly #cnonce = randomBytes(8).toString("hex");
  readonly #opening: string;
  /** What is hashed before the nonce count. */
  readonly #hashOpening: string;
  readonly #hasAsciiNonce: boolean;
  #lastTarget: Target | undefined;

  constructor(challenge: DigestChallenge, credentials: Credentials) {
    this.#challenge = challenge;
    this.#credentials = credentials;
    const { realm, nonce } = challenge;
    this.#opening = `Digest ${this.#usernameParameter()}, realm="${quotable(realm)}", nonce="${quotable(nonce)}"`;
    this.#hasAsciiNonce = isAscii(nonce);
    this.#hashOpening = `${this.#hashA1()}:${nonce}:`;
  }

  /** True once every nonce count has been used. */
  get exhausted(): boolean {
    return this.count >= MAX_NONCE_COUNT;
  }

  /** True if this nonce and the challenge have the same opaque. */
  sharesOpaque({ opaque }: DigestChallenge): boolean {
    return opaque !== undefined && opaque === this.#challenge.opaque;
  }

  /** Makes the nonce that replaces this one, which the server named in `Authentication-Info` (RFC 7616, section 3.5). */
  successor(nextnonce: string): Nonce {
    const next = new Nonce({ ...this.#challenge, nonce: nextnonce, stale: false }, this.#credentials);
    next.kept = true;
    return next;
  }

  /**
   * Signs one request and takes the next nonce count for it.
   * @param uri the request target exactly as it goes over the wire (RFC 7616, section 3.4.6)
   * @returns the value of the `Authorization` header
   * @see RFC 7616, section 3.4.1
   */
  authorize(method: string, uri: string): string {
    this.count += 1;
    const { opening, closing } = this.#targetOf(method, uri);
    if (this.#challenge.qop === undefined) return `${opening}${this.#response("", closing)}"`;
    const nc = hexadecimal(this.count);
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
    return this.#hasAsciiNonce ? hash(this.#challenge.hash, text, "hex") : this.#hash(text);
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
    const latin1 = !this.#challenge.utf8 && !/[^\0-\xff]/.test(text);
    return latin1 ? text : Buffer.from(text, "utf8").toString("latin1");
  }

  #hash(text: string): string {
    // ASCII has the same bytes in UTF-8, and making a buffer takes as long as the hash.
    return hash(this.#challenge.hash, isAscii(text) ? text : Buffer.from(text, "latin1"), "hex");
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

// RFC 8187, section 3.2.1: attr-char leaves out some of what encodeURIComponent keeps.
function encodeExtendedValue(text: string): string {
  return encodeURIComponent(text).replace(
    /[*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
