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
  #hasMoved = false;
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

  /**
   * The connection was lost, so the request is sent over another one. After the first loss, a refusal may mean that a balancer has led
   * the request to a server that does not know its nonce. After later ones it does not, because some servers close each connection
   * after a refusal.
   */
  moved(): void {
    this.#isFresh &&= this.#hasMoved;
    this.#hasMoved = true;
  }

  /** The server refused the request. Returns what follows from it. */
  refused(challenge: DigestChallenge): Verdict {
    const { key } = this.#session;
    const isShared = this.#nonce?.isShared === true;
    const facts: RefusalFacts = {
      isOvertaken: isShared && key.acceptances > this.#acceptances && this.#overtakings < MAX_OVERTAKINGS,
      mayRepeat: this.#repeats < MAX_REPEATS,
      isStale: challenge.stale,
      isForeign: isShared || !this.#isFresh,
      isKeyAccepted: key.isAccepted,
      isKeyRight: key.acceptances > this.#acceptancesAtStart,
    };
    const [, verdict = "key"] = VERDICTS.find(([names]) => names.every((name) => facts[name])) ?? [];
    if (verdict === "key") key.isAccepted = false;
    if (facts.isOvertaken) this.#overtakings += 1;
    else this.#repeats += 1;
    this.#nonce = key.rememberNonce(challenge, this.#session);
    this.#isFresh = true;
    this.#session.nonce = undefined;
    return verdict;
  }
}

/** `"sign"` to send the request again, signed with the nonce of the challenge; otherwise what is refused for good. */
type Verdict = "sign" | "key" | "nonce";

/** What follows from a refusal. The first row counts whose facts are all true. */
const VERDICTS: readonly (readonly [facts: readonly (keyof RefusalFacts)[], verdict: Verdict])[] = [
  [["isOvertaken"], "sign"],
  [["mayRepeat", "isStale"], "sign"],
  [["mayRepeat", "isForeign"], "sign"],
  [["mayRepeat", "isKeyAccepted"], "sign"],
  [["isStale"], "nonce"],
  [["isForeign", "isKeyRight"], "nonce"],
  [[], "key"],
];

/** What is known when the server refuses a request. */
interface RefusalFacts {
  /**
   * Other connections use the nonce, too, and the server has accepted one of their requests since this one was signed. A server
   * that wants the nonce count to rise refuses a request if one with a higher count arrives first.
   */
  readonly isOvertaken: boolean;
  /** The request was repeated less than 3 times, without the repeats because others have overtaken it. */
  readonly mayRepeat: boolean;
  /** The server says that the nonce is stale. */
  readonly isStale: boolean;
  /**
   * The nonce came in a response to another request, or other connections use it, too: their counts may arrive in another order.
   */
  readonly isForeign: boolean;
  /** The server has accepted the key, and has not finally refused it since. */
  readonly isKeyAccepted: boolean;
  /** The server has accepted the key since this request began. */
  readonly isKeyRight: boolean;
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

  constructor(key: DigestKey, connection: object) {
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
