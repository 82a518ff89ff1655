import { readAuthenticationInfo } from "./authentication-info.ts";
import type { DigestChallenge } from "./digest-challenge.ts";
import { type Credentials, type Encoding, encodingsOf, Signer } from "./signer.ts";

/** The credentials for one origin, and what the responses on all connections have told of them. */
export class DigestKey {
  readonly credentials: Credentials;
  /** The encodings of the credentials that may be right, the one to try first at the beginning. */
  encodings: readonly [Encoding, ...Encoding[]];
  /** The server has accepted the credentials, so that a refusal may have another reason. */
  isAccepted = false;

  constructor(credentials: Credentials) {
    this.credentials = credentials;
    this.encodings = encodingsOf(credentials);
  }
}

/** The nonces of one connection, whose requests use the one that came last. */
export class DigestSession {
  readonly key: DigestKey;
  /** The one that came last comes first. */
  nonces: readonly Nonce[] = [];

  constructor(key: DigestKey) {
    this.key = key;
  }

  /** Returns the nonce of a challenge, which is the same one, with the same count, however often the server sends it. */
  nonceOf(challenge: DigestChallenge): Nonce {
    return this.nonces.find((nonce) => nonce.isOf(challenge)) ?? new Nonce(challenge);
  }

  /** Lets the next requests use this nonce. */
  use(nonce: Nonce): void {
    if (nonce !== this.nonces[0]) {
      this.nonces = [nonce, ...this.nonces.filter((other) => other !== nonce)].slice(0, MAX_NONCES);
    }
  }
}

/**
 * One request of a caller: how to sign it, and what follows from each response to it (RFC 7616, section 3.3). All that decides
 * about nonces stands in this file. It sends nothing and has no timer, and its fields are plain, so that a test can copy them
 * and explore every order of events.
 */
export class DigestExchange {
  private readonly session: DigestSession;
  private nonce: Nonce | undefined;
  private encoding: Encoding;
  /** The nonce count of the request that was sent last, and its target. */
  private count = 0;
  private uri = "";
  private repeats = 0;

  constructor(session: DigestSession) {
    this.session = session;
    // A nonce that no response has confirmed is left to the request that was challenged.
    this.nonce = session.nonces[0]?.isProven ? session.nonces[0] : undefined;
    [this.encoding] = session.key.encodings;
  }

  /**
   * Signs the request, which is sent now.
   * @returns the value of the `Authorization` header; undefined if there is no nonce, and the request asks for a challenge
   */
  sign(method: string, uri: string): string | undefined {
    const { nonce } = this;
    if (nonce === undefined) return undefined;
    nonce.count += 1;
    this.count = nonce.count;
    this.uri = uri;
    return this.signerOf(nonce).authorize(this.count, method, uri);
  }

  /**
   * The server accepted the request, or asked for no credentials.
   * @param info the `Authentication-Info` lines
   * @throws {@link DigestError} if it shows that the server does not know the password
   */
  accepted(info?: string | readonly string[]): void {
    const { nonce, session } = this;
    if (nonce === undefined) return;
    const { key } = session;
    const rspauth = () => this.signerOf(nonce).expectedRspauth(this.count, this.uri);
    const next = info === undefined ? undefined : readAuthenticationInfo(info, rspauth);
    key.isAccepted = true;
    if (key.encodings.length > 1 && !nonce.challenge.utf8) key.encodings = [this.encoding];
    const following = next === undefined ? nonce : session.nonceOf({ ...nonce.challenge, nonce: next, stale: false });
    for (const known of [nonce, following]) known.isProven = true;
    session.use(following);
  }

  /**
   * The server refused the request.
   * @returns whether to send it again, signed with the nonce of the challenge, or to leave the response to the caller
   */
  refused(challenge: DigestChallenge): boolean {
    const { key } = this.session;
    const isKeyRefused = this.nonce !== undefined && !this.nonce.isProven && !challenge.stale;
    // Servers that name no encoding expect one or the other.
    const [, other = this.encoding] = key.encodings;
    const isFinal = isKeyRefused && !key.isAccepted && (challenge.utf8 || this.encoding === other);
    if (isKeyRefused) this.encoding = other;
    this.nonce = this.session.nonceOf(challenge);
    this.session.use(this.nonce);
    // A nonce that the server sends once more has to be confirmed once more.
    this.nonce.isProven = false;
    if (!isFinal && this.repeats < MAX_REPEATS) {
      this.repeats += 1;
      return true;
    }
    if (isKeyRefused) key.isAccepted = false;
    return false;
  }

  private signerOf(nonce: Nonce): Signer {
    return nonce.signer(this.session.key.credentials, this.encoding);
  }
}

/** The most repeats of a request, for a server that refuses every nonce. */
const MAX_REPEATS = 3;

/** The nonces that a session remembers; servers that send one again do so within a second. */
const MAX_NONCES = 64;

/** A nonce of the server, and what is known of it. */
class Nonce {
  readonly challenge: DigestChallenge;
  /** How many requests were signed so far; it is the nonce count of the last one (RFC 7616, section 3.4). */
  count = 0;
  /** The server has accepted or announced it, so that a refusal does not mean that the key is wrong. */
  isProven = false;
  private lastSigner: { readonly encoding: Encoding; readonly signer: Signer } | undefined;

  constructor(challenge: DigestChallenge) {
    this.challenge = challenge;
  }

  /** Tells whether it is the nonce of a challenge. */
  isOf({ realm, nonce, opaque, algorithm, qop }: DigestChallenge): boolean {
    const own = this.challenge;
    if (nonce !== own.nonce || opaque !== own.opaque) return false;
    return realm === own.realm && algorithm === own.algorithm && qop === own.qop;
  }

  signer(credentials: Credentials, encoding: Encoding): Signer {
    if (this.lastSigner?.encoding !== encoding) {
      this.lastSigner = { encoding, signer: new Signer(this.challenge, credentials, encoding) };
    }
    return this.lastSigner.signer;
  }
}
