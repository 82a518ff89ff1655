import { type Challenge, parseChallenges } from "./challenge.ts";

/** What a server asks for: the parameters of RFC 7616, section 3.3, that this client uses. */
export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  /** undefined if the server sent none; then none is sent back. */
  readonly opaque: string | undefined;
  /** As the server spelled it; undefined means MD5. */
  readonly algorithm: string | undefined;
  /** The hash, by its OpenSSL name. */
  readonly hash: string;
  /** Its place among all algorithms; 0 is the strongest. */
  readonly rank: number;
  readonly session: boolean;
  /** undefined means RFC 2069, without nonce count and cnonce. */
  readonly qop: "auth" | undefined;
  readonly stale: boolean;
}

/** The server asks for credentials that this client can't make. The message quotes the server as it is. */
export class UnusableChallenge extends Error {}

/** The algorithms of RFC 7616, section 6.1, strongest first. */
const ALGORITHMS = ["SHA-512-256", "SHA-256", "MD5"];

/**
 * Chooses the supported Digest challenge with the strongest algorithm (RFC 7616, section 3.7).
 * @param lines the values of all `WWW-Authenticate` lines of one response
 * @throws {@link UnusableChallenge} if none is supported; it quotes the part that is the reason
 */
export function chooseDigestChallenge(lines: string | readonly string[]): DigestChallenge {
  const candidates: DigestChallenge[] = [];
  const problems: UnusableChallenge[] = [];
  const otherSchemes: string[] = [];
  for (const line of [lines].flat()) {
    const { challenges, malformed: malformedPart } = parseChallenges(line);
    for (const challenge of challenges) {
      if (challenge.scheme !== "digest") {
        otherSchemes.push(challenge.scheme);
        continue;
      }
      const candidate = readDigestChallenge(challenge.parameters);
      if (candidate instanceof UnusableChallenge) problems.push(candidate);
      else candidates.push(candidate);
    }
    if (malformedPart !== undefined) {
      problems.push(new UnusableChallenge(`The server's challenge is malformed from '${malformedPart}' on.`));
    }
  }
  const [strongest] = candidates.sort((a, b) => a.rank - b.rank);
  if (strongest !== undefined) return strongest;
  throw problems[0] ?? unsupportedChallenge(`it offers ${otherSchemes.join(", ") || "nothing"} instead of Digest`);
}

function readDigestChallenge(parameters: Challenge["parameters"]): DigestChallenge | UnusableChallenge {
  const nonce = parameters.get("nonce");
  if (nonce === undefined) return unsupportedChallenge("it has no nonce");

  const algorithm = parameters.get("algorithm");
  const name = (algorithm ?? "MD5").toUpperCase();
  const session = name.endsWith("-SESS");
  const rank = ALGORITHMS.indexOf(session ? name.slice(0, -5) : name);
  const hash = ALGORITHMS[rank]?.toLowerCase().replace("-", "");
  if (hash === undefined) {
    return unsupportedChallenge(
      `algorithm=${algorithm} is unknown; the valid ones are ${ALGORITHMS.join(", ")}, each also with -sess`,
    );
  }

  // Some servers write `op`.
  const qopList = parameters.get("qop") ?? parameters.get("op");
  const options = (qopList ?? "").split(",").map((option) => option.trim().toLowerCase());
  const qop = options.includes("auth") ? "auth" : undefined;
  if (qop === undefined && options.join("") !== "")
    return unsupportedChallenge(`qop="${qopList}" does not include auth`);
  // RFC 7616, section 3.4.2: a session's A1 holds the cnonce, which is sent only with a qop.
  if (session && qop === undefined) return unsupportedChallenge(`algorithm=${algorithm} needs qop="auth"`);

  return {
    realm: parameters.get("realm") ?? "",
    nonce,
    opaque: parameters.get("opaque"),
    algorithm,
    hash,
    rank,
    session,
    qop,
    stale: parameters.get("stale")?.toLowerCase() === "true",
  };
}

function unsupportedChallenge(why: string): UnusableChallenge {
  return new UnusableChallenge(`The server's challenge is not supported: ${why}.`);
}
