import { readAuthenticationInfo } from "./authentication-info.ts";
import type { DigestChallenge } from "./digest-challenge.ts";
import { type Credentials, type Encoding, encodingsOf, Signer } from "./signer.ts";

/**
 * The nonces of one origin: which request is signed with which, and what follows from each response (RFC 7616, section 3.3,
 * and the nonce count of section 3.4). Everything that decides about a nonce stands in this file. It sends nothing, has no
 * timer and knows no dispatcher, and its fields are plain, so that a test can copy it and explore every order of events.
 *
 * Each request takes a {@link Lease} and tells it what happens:
 *
 * ```text
 * take() ─┬─> waiting ──proceed()─┐
 *         └───────────────────────┴─> sent ─┬─ refused() "send" ─────> sent again, signed with the nonce of the challenge
 *                                           ├─ refused() "deliver" ──> ended
 *                                           ├─ accepted() ───────────> ended
 *                                           └─ failed(), aborted() ──> ended
 * ```
 *
 * At first all requests share one nonce. While none is known, one request probes, which means that it goes without
 * credentials to get a challenge, and the others wait until the server has accepted it. If the server does not let requests
 * share a nonce (each is good for one request, or its counts must arrive in order), every request in flight gets a nonce of
 * its own, for good.
 */
export class DigestSession {
  readonly credentials: Credentials;
  /** The encodings of the credentials that may be right, the one to try first at the beginning. */
  encodings: readonly [Encoding, ...Encoding[]];
  /** The nonce of all requests, as long as they may share one; undefined while none is known. */
  shared: Nonce | undefined;
  /** The nonces that no request uses now; undefined where requests share one. */
  unused: Nonce[] | undefined;
  readonly probing = new Set<Lease>();
  readonly waiting = new Set<Lease>();
  /** All nonces by what identifies them, the one that came last at the end. */
  readonly nonces = new Map<string, Nonce>();

  constructor(credentials: Credentials) {
    this.credentials = credentials;
    this.encodings = encodingsOf(credentials);
  }

  /** @param proceed called when the request has to be sent, if it has to wait */
  take(proceed: () => void): Lease {
    const nonce = this.known();
    const lease = new Lease(this, proceed, nonce);
    if (nonce === undefined && this.unused === undefined) {
      const queue = this.probing.size === 0 ? this.probing : this.waiting;
      queue.add(lease);
    }
    return lease;
  }

  /** Lets as many of the requests that wait probe as probe already, because a connection may hang. */
  hurry(): void {
    this.probe(this.probing.size);
  }

  /** Returns the nonce of a challenge. It is the same one, with the same count, however often the server sends it. */
  nonceOf(challenge: DigestChallenge): Nonce {
    const { realm, nonce, opaque, algorithm, qop } = challenge;
    const key = JSON.stringify([realm, nonce, opaque, algorithm, qop]);
    const found = this.nonces.get(key) ?? new Nonce(challenge, this.credentials);
    this.nonces.delete(key);
    this.nonces.set(key, found);
    const [oldest] = this.nonces.keys();
    if (oldest !== undefined && this.nonces.size > MAX_NONCES) this.nonces.delete(oldest);
    return found;
  }

  /**
   * Keeps the nonce of a request that the server accepted.
   * @param refused the nonce that the server had refused for the same request
   * @param next the nonce that the server wants to see from now on
   */
  keep(nonce: Nonce, refused: Nonce | undefined, next: Nonce | undefined): void {
    if (this.unused !== undefined) {
      // Other requests may still use this one, from the time when it was shared.
      if (next !== undefined || nonce.users.size === 0) this.unused.push(next ?? nonce);
    } else if (this.shared === nonce || this.shared === refused || this.shared?.isExhausted) {
      // Otherwise a newer nonce is there already.
      this.shared = next ?? nonce;
    }
  }

  /** Gives every request in flight a nonce of its own from now on. */
  separate(): void {
    this.unused ??= [];
  }

  /**
   * Ends a lease. If it probed, all that wait proceed, because its outcome says nothing about them.
   * @param candidate the nonce of its last refusal, for those that wait to try
   */
  end(lease: Lease, candidate?: Nonce): void {
    if (!this.probing.has(lease)) return;
    this.probing.clear();
    for (const other of [...this.waiting]) if (this.waiting.delete(other)) other.start(this.known() ?? candidate);
  }

  /** Ends a lease whose caller gave up. If no other request probes, one of those that wait does. */
  giveUp(lease: Lease): void {
    this.waiting.delete(lease);
    if (this.probing.delete(lease) && this.probing.size === 0) this.probe(1);
  }

  private known(): Nonce | undefined {
    const nonce = this.unused === undefined ? this.shared : this.unused.pop();
    return nonce?.isExhausted ? undefined : nonce;
  }

  private probe(count: number): void {
    for (const lease of [...this.waiting].slice(0, count)) {
      if (!this.waiting.delete(lease)) continue;
      this.probing.add(lease);
      lease.start(undefined);
    }
  }
}

/** The right of one request to be sent, and what is known of it. */
export class Lease {
  private readonly session: DigestSession;
  private readonly proceed: () => void;
  /** What the request is signed with; undefined if it probes. */
  nonce: Nonce | undefined;
  encoding: Encoding;
  /** The nonce count of the request in flight, and its target. */
  count = 0;
  uri = "";
  /** No other request was in flight with the same nonce when this one was sent. */
  isAlone = true;
  repeats = 0;
  /** The proven nonce that the server refused for this request. */
  refusedNonce: Nonce | undefined;
  /** The server refused it in a way that shows that requests can't share nonces, if it accepts the next one. */
  showsUnshareable = false;

  constructor(session: DigestSession, proceed: () => void, nonce: Nonce | undefined) {
    this.session = session;
    this.proceed = proceed;
    this.nonce = nonce;
    [this.encoding] = session.encodings;
  }

  /** True until the request may be sent. */
  get isWaiting(): boolean {
    return this.session.waiting.has(this);
  }

  /** Ends the wait. */
  start(nonce: Nonce | undefined): void {
    this.nonce = nonce;
    [this.encoding] = this.session.encodings;
    this.proceed();
  }

  /**
   * Signs the request, which is sent now.
   * @returns the value of the `Authorization` header; undefined if the request probes
   */
  sign(method: string, uri: string): string | undefined {
    const { nonce } = this;
    if (nonce === undefined) return undefined;
    this.isAlone = nonce.users.size === 0;
    nonce.users.add(this);
    nonce.count += 1;
    this.count = nonce.count;
    this.uri = uri;
    return nonce.signer(this.encoding).authorize(this.count, method, uri);
  }

  /**
   * The server accepted the request, or asked for no credentials.
   * @param info the `Authentication-Info` lines
   * @throws {@link DigestError} if it shows that the server does not know the password
   */
  accepted(info?: string | readonly string[]): void {
    const { nonce } = this;
    if (nonce !== undefined) {
      nonce.users.delete(this);
      const next = info === undefined ? undefined : this.nextNonce(info, nonce);
      nonce.accepted += 1;
      nonce.isProven = true;
      if (this.session.encodings.length > 1 && !nonce.challenge.utf8) this.session.encodings = [this.encoding];
      if (this.showsUnshareable) this.session.separate();
      this.session.keep(nonce, this.refusedNonce, next);
    }
    this.session.end(this);
  }

  /** The server refused the request. Returns whether to send it again, or to leave the response to the caller. */
  refused(challenge: DigestChallenge): "send" | "deliver" {
    const { nonce } = this;
    nonce?.users.delete(this);
    const isOverlapped = nonce !== undefined && (!this.isAlone || nonce.count !== this.count);
    const reason = this.reasonOf(challenge, isOverlapped);
    const fresh = this.session.nonceOf(challenge);
    if (nonce?.isProven) this.refusedNonce = nonce;
    if (reason === "unshareable") this.showsUnshareable = true;
    if (reason === "other encoding") this.encoding = "latin1";
    if (reason === "other encoding" || reason === "wrong key") fresh.isDoubtful = true;
    if (reason === "wrong key" || this.repeats === MAX_REPEATS) {
      this.session.end(this, fresh);
      return "deliver";
    }
    this.repeats += 1;
    // Apache httpd counts by opaque. Requests with the same one would disturb each other, so this one asks for another.
    const isDisturbed = reason === "unshareable" && isOverlapped && nonce.hasOpaqueOf(challenge);
    this.nonce = isDisturbed ? undefined : fresh;
    return "send";
  }

  /** The request got no response that says anything about its credentials. */
  failed(): void {
    this.nonce?.users.delete(this);
    this.session.end(this);
  }

  /** The caller gave the request up. */
  aborted(): void {
    this.nonce?.users.delete(this);
    this.session.giveUp(this);
  }

  /** Each challenge gets one response, and a key that is refused with a nonce that nothing else disturbs is wrong. */
  private reasonOf(challenge: DigestChallenge, isOverlapped: boolean): Reason {
    const { nonce } = this;
    if (nonce === undefined) return "no credentials";
    if (nonce.isProven && nonce !== this.refusedNonce) {
      const isUnshareable = challenge.stale ? nonce.accepted <= 1 : isOverlapped;
      return isUnshareable ? "unshareable" : "expired";
    }
    if (challenge.stale) return "expired";
    if (isOverlapped && !nonce.isDoubtful) return "unshareable";
    const hasOther = this.session.encodings.length > 1 && this.encoding === "utf8" && !challenge.utf8;
    return hasOther ? "other encoding" : "wrong key";
  }

  private nextNonce(info: string | readonly string[], nonce: Nonce): Nonce | undefined {
    const { challenge } = nonce;
    const rspauth = () => nonce.signer(this.encoding).expectedRspauth(this.count, this.uri);
    const name = readAuthenticationInfo(info, rspauth);
    if (name === undefined || name === challenge.nonce) return undefined;
    const next = this.session.nonceOf({ ...challenge, nonce: name, stale: false });
    next.isProven = true;
    return next;
  }
}

/** Why the server refused a request. */
type Reason = "no credentials" | "expired" | "unshareable" | "other encoding" | "wrong key";

/** The nonces that a session remembers; servers that send one again do so within a second. */
const MAX_NONCES = 64;

/** The most repeats of a request, for a server that calls every nonce stale. */
const MAX_REPEATS = 3;

// RFC 7616, section 3.4: nc is eight hexadecimal digits.
const MAX_COUNT = 0xffffffff;

/** A nonce of the server, and what is known of it. */
class Nonce {
  readonly challenge: DigestChallenge;
  /** How many requests were signed so far; it is the nonce count of the last one. */
  count = 0;
  /** The requests that are in flight now. */
  readonly users = new Set<Lease>();
  /** How many requests the server accepted. */
  accepted = 0;
  /** The server has accepted or announced it, so that a refusal does not mean that the key is wrong. */
  isProven = false;
  /** The key was refused just before the server sent it, so that one more refusal means that the key is wrong. */
  isDoubtful = false;
  private readonly credentials: Credentials;
  private lastSigner: { readonly encoding: Encoding; readonly signer: Signer } | undefined;

  constructor(challenge: DigestChallenge, credentials: Credentials) {
    this.challenge = challenge;
    this.credentials = credentials;
  }

  /** True once every nonce count has been used. */
  get isExhausted(): boolean {
    return this.count >= MAX_COUNT;
  }

  signer(encoding: Encoding): Signer {
    if (this.lastSigner?.encoding !== encoding) {
      this.lastSigner = { encoding, signer: new Signer(this.challenge, this.credentials, encoding) };
    }
    return this.lastSigner.signer;
  }

  hasOpaqueOf({ opaque }: DigestChallenge): boolean {
    return opaque !== undefined && opaque === this.challenge.opaque;
  }
}
