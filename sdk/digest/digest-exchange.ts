import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { DigestChallenge } from "./digest-challenge.ts";
import { type Credentials, RequestSigner } from "./request-signer.ts";

/**
 * One request of a caller: how to sign it, and what follows from each response to it (RFC 7616, section 3.3). Only this file
 * decides about nonces. It sends nothing and has no timer, so that a test can try every order of events.
 */
export class DigestExchange {
  readonly #session: DigestSession;
  #nonce: Nonce | undefined;
  /** The nonce came in a response to this request. */
  #isFresh = false;
  #repeats = 0;
  /** How often other requests have overtaken this one. */
  #overtakings = 0;
  /** How often the server had accepted the credentials when this request began, and when it was signed last. */
  readonly #acceptancesAtStart: number;
  #acceptances = 0;

  constructor(session: DigestSession) {
    this.#session = session;
    this.#nonce = session.nonce;
    this.#acceptancesAtStart = session.key.acceptances;
  }

  /**
   * Signs the request, which is sent now.
   * @returns the value of the `Authorization` header; undefined if there is no nonce, and the request asks for a challenge
   */
  sign(method: string, uri: string): string | undefined {
    this.#acceptances = this.#session.key.acceptances;
    return this.#nonce?.sign(method, uri);
  }

  /**
   * The server answered the request, so the nonce may be used again.
   * @param provesKey the answer is one that a request with wrong credentials does not get, such as the status of a success; that
   * of a gateway in front of the server is not
   */
  answered(provesKey: boolean): void {
    if (this.#nonce === undefined) return;
    if (provesKey) {
      this.#session.key.isAccepted = true;
      this.#session.key.acceptances += 1;
    }
    this.#session.nonce = this.#nonce;
  }

  /** The request is sent over another connection, which may lead to a server that does not know its nonce. */
  moved(): void {
    this.#isFresh = false;
  }

  /**
   * The server refused the request.
   * @returns `"sign"` to send it again, signed with the nonce of the challenge; otherwise what is refused for good
   */
  refused(challenge: DigestChallenge): "sign" | "key" | "nonce" {
    const { key } = this.#session;
    const cause = this.#refusedBy(challenge);
    // A server that wants the nonce count to rise refuses a request if one with a higher count arrives first. This may happen to
    // each repeat, so such a refusal does not count as one of the 3 repeats.
    const isOvertaken =
      this.#nonce?.isShared === true && key.acceptances > this.#acceptances && this.#overtakings < MAX_OVERTAKINGS;
    this.#nonce = key.rememberNonce(challenge, this.#session);
    this.#isFresh = true;
    this.#session.nonce = undefined;
    if (isOvertaken) this.#overtakings += 1;
    else this.#repeats += 1;
    const isFinal = (cause === "key" && !key.isAccepted) || this.#repeats > MAX_REPEATS;
    if (!isFinal) return "sign";
    if (cause === "key") key.isAccepted = false;
    return cause;
  }

  /**
   * Tells whether the server has refused the nonce or the key. It has refused the nonce if it says that the nonce is stale, if the
   * nonce came in a response to another request, or if other connections use the nonce, too, because its counts may arrive in
   * another order. After 3 repeats, the last two reasons count only if the server has accepted the key for other requests meanwhile.
   */
  #refusedBy({ stale }: DigestChallenge): "key" | "nonce" {
    const isForeign = !this.#isFresh || this.#nonce?.isShared === true;
    const isKeyRight = this.#session.key.acceptances > this.#acceptancesAtStart;
    return stale || (isForeign && (isKeyRight || this.#repeats < MAX_REPEATS)) ? "nonce" : "key";
  }
}

/** The credentials for a service, and what is known of them from the responses on all connections. */
export class DigestKey {
  readonly credentials: Credentials;
  /**
   * The server has accepted the credentials, and has not finally refused a request with them since. So it may refuse a nonce only.
   */
  isAccepted = false;
  /** How often it has accepted them. */
  acceptances = 0;
  /** The nonces that are remembered, the last one first. */
  nonces: readonly Nonce[] = [];

  constructor(credentials: Credentials) {
    this.credentials = credentials;
  }

  /** Returns the nonce of a challenge, which is remembered: the same nonce has one count on all connections. */
  rememberNonce(challenge: DigestChallenge, session: DigestSession): Nonce {
    const nonce =
      this.nonces.find((candidate) => candidate.isOf(challenge)) ??
      new Nonce(challenge, this.credentials, session.connection);
    if (nonce.connection !== session.connection) nonce.isShared = true;
    this.nonces = [nonce, ...this.nonces.filter((other) => other !== nonce)].slice(0, MAX_NONCES);
    return nonce;
  }
}

/**
 * What is known on one connection. Behind a load balancer, only the server at its other end may know the nonces of the connection.
 */
export class DigestSession {
  readonly key: DigestKey;
  /** The connection. Its later sessions are no other users of a nonce, because it sends one request at a time. */
  readonly connection: object;
  /** The nonce that was accepted last, unless it was refused since. */
  nonce: Nonce | undefined;

  constructor(key: DigestKey, connection: object = {}) {
    this.key = key;
    this.connection = connection;
  }
}

/** The most repeats of a request, for a server that refuses every nonce, and for a key that was accepted before. */
const MAX_REPEATS = 3;

/** The most repeats because other requests arrive first. With 16 connections, about one of three attempts arrives in time. */
const MAX_OVERTAKINGS = 32;

/** The most nonces whose counts are remembered. A server that sends a nonce again does so within a second. */
const MAX_NONCES = 64;

/** A nonce of the server, and what is known of it. */
class Nonce {
  /** The connection that got it first. */
  readonly connection: object;
  /** Another connection has got it too. */
  isShared = false;
  readonly #challenge: DigestChallenge;
  readonly #signer: RequestSigner;
  /** How many requests were signed so far; it is the nonce count of the last one (RFC 7616, section 3.4). */
  #count = 0;

  constructor(challenge: DigestChallenge, credentials: Credentials, connection: object) {
    this.connection = connection;
    this.#challenge = challenge;
    this.#signer = new RequestSigner(challenge, credentials, randomBytes(8).toString("hex"));
  }

  sign(method: string, uri: string): string {
    this.#count += 1;
    return this.#signer.sign(this.#count, method, uri);
  }

  /** Returns whether a challenge has this nonce. */
  isOf(challenge: DigestChallenge): boolean {
    return isDeepStrictEqual({ ...challenge, stale: false }, { ...this.#challenge, stale: false });
  }
}
