import type { DigestChallenge } from "./digest-challenge.ts";
import { type Credentials, Nonce } from "./nonce.ts";

/** What a request is to do next: sign with this nonce, or go without an answer to be given a challenge. */
export type Turn = Nonce | "probe";

/** A request that waits for its turn. */
export interface Waiter {
  proceed(turn: Turn): void;
}

/**
 * The nonces of one origin, and which request may use which.
 *
 * At first all requests share one nonce: while none is known one request asks for it and the others wait. Where a server
 * does not let a nonce be shared (it is good for one request, or its counts must arrive in order) every request under way
 * gets one of its own, for good.
 *
 * @see RFC 7616, section 3.3 (nonce) and section 3.4 (nc)
 */
export class NonceSession {
  readonly origin: string;
  readonly #credentials: Credentials;
  #shared: Nonce | undefined;
  /** The request that asks for a nonce while none is known. */
  #prober: Waiter | undefined;
  readonly #waiting = new Set<Waiter>();
  /** The nonces that no request uses now, where they can't be shared; undefined where they can. */
  #unused: Nonce[] | undefined;

  constructor(origin: string, credentials: Credentials) {
    this.origin = origin;
    this.#credentials = credentials;
  }

  /** The nonce of a challenge, which no request uses yet. */
  nonceOf(challenge: DigestChallenge): Nonce {
    return new Nonce(challenge, this.#credentials);
  }

  /** Takes a turn; `"wait"` where it comes later, by {@link Waiter.proceed}. */
  take(request: Waiter): Turn | "wait" {
    const known = this.#known();
    if (known !== undefined || this.#unused !== undefined) return known ?? "probe";
    if (this.#prober !== undefined) {
      this.#waiting.add(request);
      return "wait";
    }
    this.#prober = request;
    return "probe";
  }

  /**
   * The server accepted a request.
   * @param nonce what it was signed with
   * @param refused the nonce that the server had refused for the same request before
   * @param next the nonce that the server wants to see from now on
   */
  accepted(request: Waiter, nonce: Nonce, refused: Nonce | undefined, next: Nonce | undefined): void {
    if (this.#unused !== undefined) {
      // One that other requests still use from the time when it was shared is theirs.
      if (next !== undefined || nonce.inFlight === 0) this.#unused.push(next ?? nonce);
    } else if (this.#shared === nonce || this.#shared === refused || this.#shared?.exhausted) {
      // Otherwise a newer nonce is there already.
      this.#shared = next ?? nonce;
    }
    this.#release(request);
  }

  /**
   * The request ended without a nonce to share: the server asked for none, refused the answer, or could not be reached.
   * That says nothing about those who wait, so they all go on.
   * @param candidate the nonce of the server's refusal, for them to try
   */
  ended(request: Waiter, candidate?: Nonce): void {
    this.#release(request, candidate);
  }

  /** The caller gave the request up: where it was the one that asked, another one asks. */
  abandoned(request: Waiter): void {
    this.#waiting.delete(request);
    if (this.#prober !== request) return;
    [this.#prober] = this.#waiting;
    if (this.#prober === undefined) return;
    this.#waiting.delete(this.#prober);
    this.#prober.proceed("probe");
  }

  /** From now on every request under way has a nonce of its own. */
  separate(): void {
    this.#unused ??= [];
    this.#shared = undefined;
  }

  #known(): Nonce | undefined {
    const nonce = this.#unused === undefined ? this.#shared : this.#unused.pop();
    return nonce?.exhausted ? undefined : nonce;
  }

  #release(request: Waiter, candidate?: Nonce): void {
    if (this.#prober !== request) return;
    this.#prober = undefined;
    const released = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of released) waiter.proceed(this.#known() ?? candidate ?? "probe");
  }
}
