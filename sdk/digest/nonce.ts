import { hash, randomBytes } from "node:crypto";
import type { DigestChallenge } from "./digest-challenge.ts";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** What the answers of all requests for one target have in common. */
interface Target {
  readonly method: string;
  readonly uri: string;
  readonly ha2: string;
  readonly parameters: string;
}

// RFC 7616, section 3.4: nc is eight hexadecimal digits.
const MAX_NONCE_COUNT = 0xffffffff;

/** A nonce of the server with the state of its use: the count, one cnonce, and the hashes that don't change. */
export class Nonce {
  /** Requests signed so far; the next one has this plus one as its nonce count. */
  count = 0;
  /** Requests that are under way. */
  inFlight = 0;
  /** Requests that the server accepted. */
  accepted = 0;
  /** The server has accepted it or announced it, so a refusal no longer means that the credentials are wrong. */
  kept = false;
  readonly #challenge: DigestChallenge;
  readonly #credentials: Credentials;
  readonly #cnonce = randomBytes(8).toString("hex");
  readonly #ha1: string;
  readonly #opening: string;
  readonly #closing: string;
  #lastTarget: Target | undefined;

  constructor(challenge: DigestChallenge, credentials: Credentials) {
    this.#challenge = challenge;
    this.#credentials = credentials;
    this.#ha1 = this.#hashA1();
    this.#opening = `Digest ${this.#usernameParameter()}, realm="${quotable(challenge.realm)}", nonce="${quotable(challenge.nonce)}"`;
    this.#closing = this.#closingParameters();
  }

  /** True once every nonce count has been used. */
  get exhausted(): boolean {
    return this.count >= MAX_NONCE_COUNT;
  }

  /** True where the server gave this nonce and that of the challenge one and the same opaque. */
  sharesOpaque({ opaque }: DigestChallenge): boolean {
    return opaque !== undefined && opaque === this.#challenge.opaque;
  }

  /** The nonce that takes this one's place, as `Authentication-Info` says (RFC 7616, section 3.5). */
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
    const { ha2, parameters } = this.#targetOf(method, uri);
    const nc = hexadecimal(this.count);
    const counted = this.#challenge.qop === undefined ? "" : `, nc=${nc}`;
    return `${parameters}${counted}, response="${this.#response(nc, ha2)}"`;
  }

  /** The `rspauth` of a server that knows the password, for the request with this count (RFC 7616, section 3.5). */
  expectedRspauth(count: number, uri: string): string {
    return this.#response(hexadecimal(count), this.#hash(`:${uri}`));
  }

  /** Mostly a request is for what the one before it was for. */
  #targetOf(method: string, uri: string): Target {
    const last = this.#lastTarget;
    if (last !== undefined && last.uri === uri && last.method === method) return last;
    const parameters = `${this.#opening}, uri="${quotable(uri)}"${this.#closing}`;
    this.#lastTarget = { method, uri, ha2: this.#hash(`${method}:${uri}`), parameters };
    return this.#lastTarget;
  }

  #response(nc: string, ha2: string): string {
    const { nonce, qop } = this.#challenge;
    // RFC 2069 where the server offers no qop
    const middle = qop === undefined ? nonce : `${nonce}:${nc}:${this.#cnonce}:${qop}`;
    return this.#hash(`${this.#ha1}:${middle}:${ha2}`);
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

  #closingParameters(): string {
    const { opaque, algorithm, qop } = this.#challenge;
    return [
      opaque === undefined ? "" : `, opaque="${quotable(opaque)}"`,
      algorithm === undefined ? "" : `, algorithm=${algorithm}`,
      qop === undefined ? "" : `, qop=${qop}, cnonce="${this.#cnonce}"`,
    ].join("");
  }

  /** The text as the bytes that the server expects, one character a byte, as everywhere in HTTP headers. */
  #encode(text: string): string {
    const latin1 = !this.#challenge.utf8 && !/[^\0-\xff]/.test(text);
    return latin1 ? text : Buffer.from(text, "utf8").toString("latin1");
  }

  #hash(text: string): string {
    // ASCII has the same bytes as UTF-8, and a buffer costs as much again as the hash.
    return hash(this.#challenge.hash, isAscii(text) ? text : Buffer.from(text, "latin1"), "hex");
  }
}

function hexadecimal(count: number): string {
  return count.toString(16).padStart(8, "0");
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
