import { createHash, randomBytes } from "node:crypto";

/** How long and how often the nonces of a server are good. */
export interface NoncePolicy {
  /** Requests that a nonce is good for, a whole number from 1. Default: 1023. */
  readonly uses?: number | undefined;
  /** Seconds from its first challenge that a nonce is good for, 0 or more. Default: 60. */
  readonly lifetimeSeconds?: number | undefined;
  /** Nonce counts must arrive without a gap; otherwise only twice the same one is refused. Default: false. */
  readonly strictCounts?: boolean | undefined;
  /** A nonce that is used up is followed by one in `Authentication-Info`. Default: false. */
  readonly announcesNext?: boolean | undefined;
}

export interface ProtectionOptions {
  readonly realm: string;
  readonly username: string;
  readonly password: string;
  readonly nonces?: NoncePolicy | undefined;
}

/** The server's verdict on one request: refused with a challenge, or let through with headers for the answer. */
export type Verdict =
  | { readonly accepted: false; readonly challenge: string }
  | { readonly accepted: true; readonly headers: Readonly<Record<string, string>> };

interface IssuedNonce {
  readonly issuedAt: number;
  readonly counts: Set<number>;
}

/**
 * The server's side of HTTP Digest with MD5 and qop=auth, as the service does it.
 * @see the contract, section 5, and RFC 7616, section 3.3
 */
export class DigestProtection {
  readonly #options: ProtectionOptions;
  readonly #issued = new Map<string, IssuedNonce>();

  constructor(options: ProtectionOptions) {
    this.#options = options;
  }

  /** Forgets every nonce, as a restart of the server does. */
  forgetNonces(): void {
    this.#issued.clear();
  }

  check(method: string, target: string, authorization: string | undefined): Verdict {
    const answer = readAnswer(authorization);
    if (answer === undefined) return this.#refuse(false);
    const { username, realm, nonce = "", nc = "", cnonce = "", qop = "", uri = "", response } = answer;
    const {
      uses = 1023,
      lifetimeSeconds = 60,
      strictCounts = false,
      announcesNext = false,
    } = this.#options.nonces ?? {};

    const ha1 = md5(`${this.#options.username}:${this.#options.realm}:${this.#options.password}`);
    const expected = md5(`${ha1}:${nonce}:${nc}:${cnonce}:${qop}:${md5(`${method}:${uri}`)}`);
    const known = username === this.#options.username && realm === this.#options.realm;
    if (!known || qop !== "auth" || uri !== target || response !== expected) return this.#refuse(false);

    const issued = this.#issued.get(nonce);
    const count = Number.parseInt(nc, 16);
    const expired = issued !== undefined && Date.now() - issued.issuedAt > lifetimeSeconds * 1000;
    if (issued === undefined || expired || issued.counts.size >= uses) return this.#refuse(true);
    const outOfOrder = strictCounts && count !== issued.counts.size + 1;
    if (!/^[0-9a-f]{8}$/.test(nc) || issued.counts.has(count) || outOfOrder) return this.#refuse(false);

    issued.counts.add(count);
    const usedUp = announcesNext && issued.counts.size >= uses;
    return { accepted: true, headers: usedUp ? { "Authentication-Info": `nextnonce="${this.#issue()}"` } : {} };
  }

  #refuse(stale: boolean): Verdict {
    const challenge = `Digest realm="${this.#options.realm}", domain="", nonce="${this.#issue()}", algorithm=MD5, qop="auth", stale=${stale}`;
    return { accepted: false, challenge };
  }

  #issue(): string {
    const nonce = randomBytes(24).toString("base64");
    this.#issued.set(nonce, { issuedAt: Date.now(), counts: new Set() });
    return nonce;
  }
}

function readAnswer(authorization: string | undefined): Partial<Record<string, string>> | undefined {
  if (!authorization?.startsWith("Digest ")) return undefined;
  const parameters = authorization.slice("Digest ".length).matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g);
  return Object.fromEntries([...parameters].map(([, name, quoted, token]) => [name, quoted ?? token]));
}

function md5(text: string): string {
  return createHash("md5").update(text, "latin1").digest("hex");
}
