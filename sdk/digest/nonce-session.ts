import type { DigestChallenge } from "./digest-challenge.ts";
import { type Credentials, Nonce } from "./nonce.ts";

/** What a request does next: it is signed with this nonce, or sent without credentials so that it gets a challenge. */
export type Turn = Nonce | "probe";

/** A request that waits for its turn. */
export interface Waiter {
  proceed(turn: Turn): void;
}

/** How long requests wait for the first nonce before more of them probe. */
const PATIENCE_MILLISECONDS = 500;

/**
 * The nonces of one origin, and which request uses which.
 *
 * At first all requests share one nonce. While none is known, one request probes and the others wait until the server has
 * accepted its credentials. If that takes long, because a connection hangs, one more request probes, then two, four and so
 * on. If the server does not let requests share a nonce (each is good for one request, or its counts must arrive in order),
 * every request in flight gets a nonce of its own, for good.
 *
 * @see RFC 7616, section 3.3 (nonce) and section 3.4 (nc)
 */
export class NonceSession {
  readonly origin: string;
  readonly #credentials: Credentials;
  #shared: Nonce | undefined;
  /** The nonces that no request uses now, if they can't be shared; undefined if they can. */
  #unused: Nonce[] | undefined;
  /** The requests that ask for a nonce while none is known. */
  readonly #probing = new Set<Waiter>();
  readonly #waiting = new Set<Waiter>();
  /** Runs while requests wait; it does not keep the process alive. */
  #timer: NodeJS.Timeout | undefined;

  constructor(origin: string, credentials: Credentials) {
    this.origin = origin;
    this.#credentials = credentials;
  }

  /** Makes the nonce of a challenge, which no request uses yet. */
  nonceOf(challenge: DigestChallenge): Nonce {
    return new Nonce(challenge, this.#credentials);
  }

  /** Takes a turn. It is `"wait"` if the turn comes later, through {@link Waiter.proceed}. */
  take(request: Waiter): Turn | "wait" {
    const known = this.#known();
    if (known !== undefined) return known;
    if (this.#unused !== undefined) return "probe";
    if (this.#probing.size === 0) {
      this.#probing.add(request);
      return "probe";
    }
    this.#waiting.add(request);
    this.#watch();
    return "wait";
  }

  /**
   * Notes that the server accepted the credentials of a request, which has not ended yet.
   * @param nonce what the request was signed with
   * @param refused the nonce that the server had refused for the same request before
   * @param next the nonce that the server wants to see from now on
   */
  accepted(nonce: Nonce, refused: Nonce | undefined, next: Nonce | undefined): void {
    if (this.#unused !== undefined) {
      // Other requests may still use this one, from the time when it was shared.
      if (next !== undefined || nonce.inFlight === 0) this.#unused.push(next ?? nonce);
    } else if (this.#shared === nonce || this.#shared === refused || this.#shared?.exhausted) {
      // Otherwise a newer nonce is there already.
      this.#shared = next ?? nonce;
    }
  }

  /**
   * Notes that a request ended. If it probed, all that wait proceed: its failure says nothing about them.
   * @param candidate the nonce of the server's refusal, for those that wait to try
   */
  ended(request: Waiter, candidate?: Nonce): void {
    if (!this.#probing.has(request)) return;
    this.#probing.clear();
    const released = [...this.#waiting];
    this.#waiting.clear();
    this.#watch();
    for (const waiter of released) waiter.proceed(this.#known() ?? candidate ?? "probe");
  }

  /** Notes that the caller aborted a request. If no other request probes, one of those that wait does. */
  aborted(request: Waiter): void {
    this.#waiting.delete(request);
    if (this.#probing.delete(request) && this.#probing.size === 0) this.#probe(1);
    this.#watch();
  }

  /** Gives every request in flight a nonce of its own from now on. */
  separate(): void {
    this.#unused ??= [];
    this.#shared = undefined;
  }

  #known(): Nonce | undefined {
    const nonce = this.#unused === undefined ? this.#shared : this.#unused.pop();
    return nonce?.exhausted ? undefined : nonce;
  }

  #watch(): void {
    if (this.#waiting.size === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#probe(this.#probing.size);
      this.#watch();
    }, PATIENCE_MILLISECONDS).unref();
  }

  /** Lets so many of the requests that wait probe. */
  #probe(count: number): void {
    for (const waiter of [...this.#waiting].slice(0, count)) {
      if (!this.#waiting.delete(waiter)) continue;
      this.#probing.add(waiter);
      waiter.proceed("probe");
    }
  }
}
