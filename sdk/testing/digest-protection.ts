import { createHash, randomBytes } from "node:crypto";

/** How long and how often the nonces of a server can be used. */
export interface NoncePolicy {
  /** The number of requests that a nonce can be used for, a whole number from 1. Default: 1023. */
  readonly uses?: number | undefined;
  /** The number of seconds that a nonce can be used after its challenge, 0 or more. Default: 60. */
  readonly lifetimeSeconds?: number | undefined;
  /** Whether nonce counts must arrive without a gap; otherwise only a repeated one is refused. Default: false. */
  readonly strictCounts?: boolean | undefined;
}

export interface ProtectionOptions {
  readonly realm: string;
  readonly username: string;
  readonly password: string;
  readonly nonces?: NoncePolicy | undefined;
  readonly qopParameter?: "op" | "qop" | undefined;
}

/** The server's verdict on one request: accepted, or refused with a challenge. */
export type Verdict = { readonly accepted: true } | { readonly accepted: false; readonly challenge: string };

interface IssuedNonce {
  readonly issuedAt: number;
  readonly counts: Set<number>;
}

/**
 * The server's side of HTTP Digest with MD5 and auth, as the service does it.
 * @see RFC 7616, section 3.3
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

  /** Judges one request by its `Authorization` header. */
  judge(method: string, target: string, authorization: string | undefined): Verdict {
    const credentials = readCredentials(authorization);
    if (credentials === undefined) return this.#refuse(false);
    const { username, realm, nonce = "", nc = "", cnonce = "", qop = "", uri = "", response } = credentials;
    const { uses = 1023, lifetimeSeconds = 60, strictCounts = false } = this.#options.nonces ?? {};

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
    return { accepted: true };
  }

  #refuse(stale: boolean): Verdict {
    const { realm, qopParameter = "op" } = this.#options;
    const challenge = `Digest realm="${realm}", domain="", nonce="${this.#issue()}", algorithm=MD5, ${qopParameter}="auth", stale=${stale}`;
    return { accepted: false, challenge };
  }

  #issue(): string {
    const nonce = randomBytes(24).toString("base64");
    this.#issued.set(nonce, { issuedAt: Date.now(), counts: new Set() });
    return nonce;
  }
}

function readCredentials(authorization: string | undefined): Partial<Record<string, string>> | undefined {
  if (!authorization?.startsWith("Digest ")) return undefined;
  const parameters = authorization.slice("Digest ".length).matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g);
  return Object.fromEntries([...parameters].map(([, name, quoted, token]) => [name, quoted ?? token]));
}

function md5(text: string): string {
  return createHash("md5").update(text, "latin1").digest("hex");
}
