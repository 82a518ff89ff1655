import { createHash, randomBytes } from "node:crypto";
import { parseChallenges } from "../digest/digest-scheme.ts";

interface ProtectionOptions {
  readonly realm: string;
  readonly username: string;
  readonly password: string;
  readonly qopParameter?: "op" | "qop" | undefined;
}

/**
 * Returns the server's side of HTTP Digest with MD5 and auth, as the service does it, with nonces that do not expire. It begins
 * without nonces.
 * @returns a function for each request, which returns a challenge, or undefined if the `Authorization` header is valid
 * @see RFC 7616, section 3.3
 */
export function digestProtection(options: ProtectionOptions) {
  const { realm, username, password, qopParameter = "qop" } = options;
  /** The nonce counts that were used, by their nonce. */
  const countsOfNonces = new Map<string, Set<string>>();
  const challenge = (stale: boolean) => {
    const nonce = randomBytes(24).toString("base64");
    countsOfNonces.set(nonce, new Set());
    return `Digest realm="${realm}", domain="", nonce="${nonce}", algorithm=MD5, ${qopParameter}="auth", stale=${stale}`;
  };
  return (method: string, target: string, authorization: string | undefined): string | undefined => {
    // Credentials have the grammar of a challenge (RFC 9110, section 11.4).
    const [credentials] = parseChallenges(authorization ?? "").challenges;
    const parameters: Partial<Record<string, string>> = Object.fromEntries(credentials?.parameters ?? []);
    const { nonce = "", nc = "", cnonce = "", qop = "", uri = "" } = parameters;
    const ha1 = md5(`${username}:${realm}:${password}`);
    const response = md5(`${ha1}:${nonce}:${nc}:${cnonce}:${qop}:${md5(`${method}:${uri}`)}`);
    const isKnown = parameters["username"] === username && parameters["realm"] === realm;
    if (!isKnown || qop !== "auth" || uri !== target || parameters["response"] !== response) return challenge(false);
    const counts = countsOfNonces.get(nonce);
    if (counts === undefined) return challenge(true);
    if (!/^[0-9a-f]{8}$/.test(nc) || counts.has(nc)) return challenge(false);
    counts.add(nc);
    return undefined;
  };
}

function md5(text: string): string {
  return createHash("md5").update(text, "latin1").digest("hex");
}
