import { randomBytes } from "node:crypto";
import { type Credentials, type DigestChallenge, RequestSigner } from "./digest-scheme.ts";

// A request goes without credentials until its connection has a nonce. A refusal brings a challenge with a nonce, and the request is
// signed with it and sent again. A nonce that was accepted is used for the next request on the connection, with the next count
// (RFC 7616, sections 3.3 and 3.4).
//
// A server may refuse the key or only the nonce, and both have the same status. It refuses the key if it refuses a nonce that has
// just come, without `stale=true`, and has not accepted the key before. Otherwise it may be the nonce, and the request is signed anew.
//
// Each connection has a nonce of its own, because behind a load balancer only one server may know it. But some servers send the same
// nonce to several connections, and some of those expect that its count goes on. So a nonce has one count, wherever it comes from.

/**
 * One request of a caller: how to sign it, and what follows from each response to it. Only this file decides about nonces. It sends
 * nothing and has no timer, so that a test can try every order of events.
 */
export class DigestExchange {
  readonly #session: DigestSession;
  #nonce: Nonce | undefined;
  /** The nonce came in a response to this request. */
  #isFresh = false;
  #hasMoved = false;
  #repeats = 0;

  constructor(session: DigestSession) {
    this.#session = session;
    this.#nonce = session.nonce;
  }

  /**
   * Signs the request, which is sent now.
   * @returns the value of the `Authorization` header; undefined if there is no nonce, and the request asks for a challenge
   */
  sign(method: string, uri: string): string | undefined {
    return this.#nonce?.sign(method, uri);
  }

  /**
   * The server answered the request, so the nonce may be used again.
   * @param provesKey the answer is one that a request with wrong credentials does not get, such as the status of a success; that
   * of a gateway in front of the server is not
   */
  answered(provesKey: boolean): void {
    if (this.#nonce === undefined) return;
    if (provesKey) this.#session.key.isAccepted = true;
    this.#session.nonce = this.#nonce;
  }

  /**
   * The connection was lost, so the request is sent over another one. Only the first loss may mean that a balancer leads it to a server
   * that does not know its nonce: some servers close each connection after a refusal.
   */
  lostConnection(): void {
    if (!this.#hasMoved) this.#isFresh = false;
    this.#hasMoved = true;
  }

  /**
   * The server refused the request.
   * @returns `"sign"` to send it again, signed with the nonce of the challenge; otherwise what is refused for good
   */
  refused(challenge: DigestChallenge): "sign" | "key" | "nonce" {
    const { key } = this.#session;
    const isKeyRefused = this.#isFresh && !challenge.stale && !key.isAccepted;
    this.#session.nonce = undefined;
    this.#nonce = key.nonceOf(challenge);
    this.#isFresh = true;
    this.#repeats += 1;
    if (!isKeyRefused && this.#repeats <= MAX_REPEATS) return "sign";
    if (challenge.stale) return "nonce";
    key.isAccepted = false;
    return "key";
  }
}

/** The most repeats of a request, for a server that refuses every nonce, and for a key that was accepted before. */
const MAX_REPEATS = 3;

/** What is known on one connection. */
export interface DigestSession {
  readonly key: DigestKey;
  /** The nonce that was accepted last, unless it was refused since. */
  nonce?: Nonce | undefined;
}

/** The credentials for a service, and what is known of them from the responses on all connections. */
export class DigestKey {
  /** The server has accepted the credentials, and has not finally refused a request with them since. */
  isAccepted = false;
  readonly #credentials: Credentials;
  /** By their challenges, the last one at the end. */
  readonly #nonces = new Map<string, Nonce>();

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** Returns the nonce of a challenge: the same one if it has come before, to whichever connection. */
  nonceOf(challenge: DigestChallenge): Nonce {
    const name = JSON.stringify({ ...challenge, stale: false });
    const nonce = this.#nonces.get(name) ?? new Nonce(challenge, this.#credentials);
    this.#nonces.delete(name);
    this.#nonces.set(name, nonce);
    const [oldest = ""] = this.#nonces.keys();
    if (this.#nonces.size > MAX_NONCES) this.#nonces.delete(oldest);
    return nonce;
  }
}

/** The most nonces whose counts are remembered. A server that sends a nonce again does so within a second. */
const MAX_NONCES = 64;

class Nonce {
  readonly #signer: RequestSigner;
  /** How many requests were signed so far; it is the nonce count of the last one. */
  #count = 0;

  constructor(challenge: DigestChallenge, credentials: Credentials) {
    this.#signer = new RequestSigner(challenge, credentials, randomBytes(8).toString("hex"));
  }

  sign(method: string, uri: string): string {
    this.#count += 1;
    return this.#signer.sign(this.#count, method, uri);
  }
}
