import { createHash, randomBytes } from "node:crypto";
import { parseChallenges } from "../digest/challenge.ts";

/** What a server asks for. */
interface ProtectionOptions {
  readonly realm: string;
  readonly username: string;
  readonly password: string;
  /** The name of the parameter with the value `auth`. Default: `op`. */
  readonly qopParameter?: "op" | "qop" | undefined;
}

/** Requests for which a nonce can be used. */
const NONCE_USES = 1023;

/** How long a nonce can be used after its challenge. */
const NONCE_LIFETIME_MILLISECONDS = 60_000;

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

  /** Forgets all nonces, as a restart does. */
  forgetNonces(): void {
    this.#issued.clear();
  }

  /** Returns the challenge for a request; undefined if its `Authorization` header is valid. */
  challengeFor(method: string, target: string, authorization: string | undefined): string | undefined {
    // Credentials have the grammar of a challenge (RFC 9110, section 11.4).
    const [credentials] = parseChallenges(authorization ?? "").challenges;
    const parameters: Partial<Record<string, string>> = Object.fromEntries(credentials?.parameters ?? []);
    const { username, realm, nonce = "", nc = "", cnonce = "", qop = "", uri = "", response } = parameters;

    const ha1 = md5(`${this.#options.username}:${this.#options.realm}:${this.#options.password}`);
    const expected = md5(`${ha1}:${nonce}:${nc}:${cnonce}:${qop}:${md5(`${method}:${uri}`)}`);
    const known = username === this.#options.username && realm === this.#options.realm;
    if (!known || qop !== "auth" || uri !== target || response !== expected) return this.#challenge(false);

    const issued = this.#issued.get(nonce);
    const count = Number.parseInt(nc, 16);
    const isExpired = issued !== undefined && Date.now() - issued.issuedAt > NONCE_LIFETIME_MILLISECONDS;
    if (issued === undefined || isExpired || issued.counts.size >= NONCE_USES) return this.#challenge(true);
    if (!/^[0-9a-f]{8}$/.test(nc) || issued.counts.has(count)) return this.#challenge(false);

    issued.counts.add(count);
    return undefined;
  }

  #challenge(stale: boolean): string {
    const { realm, qopParameter = "op" } = this.#options;
    const nonce = randomBytes(24).toString("base64");
    this.#issued.set(nonce, { issuedAt: Date.now(), counts: new Set() });
    return `Digest realm="${realm}", domain="", nonce="${nonce}", algorithm=MD5, ${qopParameter}="auth", stale=${stale}`;
  }
}

function md5(text: string): string {
  return createHash("md5").update(text, "latin1").digest("hex");
}
