// A named import of hash would fail on older versions of Node.js, before they are refused in a sentence.
import crypto from "node:crypto";

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
      const candidate = parseDigestChallenge(challenge.parameters);
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

function parseDigestChallenge(parameters: Challenge["parameters"]): DigestChallenge | UnusableChallenge {
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

/** Names are in lower case. If a parameter comes twice, the last one counts, as in curl and in browsers. */
interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

interface ParsedChallenges {
  readonly challenges: readonly Challenge[];
  /**
   * The line from the first challenge that breaks the grammar. The challenges before it are valid. The parser ignores those
   * after it, because nothing says at which character a malformed challenge ends.
   */
  readonly malformed?: string;
}

/**
 * Parses the challenges of one header line.
 * @see RFC 9110, sections 11.2, 11.3 and 11.6.1
 */
export function parseChallenges(line: string): ParsedChallenges {
  const challenges: Challenge[] = [];
  let position = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = position;
    const match = pattern.exec(line) ?? undefined;
    if (match !== undefined) position = pattern.lastIndex;
    return match;
  };
  for (take(SEPARATORS); position < line.length; take(SEPARATORS)) {
    const malformedPart = line.slice(position);
    const scheme = take(SCHEME)?.[1]?.toLowerCase();
    if (scheme === undefined) return { challenges, malformed: malformedPart };
    // A Digest challenge may begin with a parameter that looks like a token68, such as `realm=`.
    const hasToken68 = scheme !== "digest" && take(TOKEN68) !== undefined;
    const parameters = new Map<string, string>();
    const parameterName = scheme === "digest" ? DIGEST_PARAMETER_NAME : PARAMETER_NAME;
    const takeName = () => (hasToken68 ? undefined : take(parameterName)?.[1]);
    for (let name = takeName(); name !== undefined; name = takeName()) {
      const [value, quotedValue] = take(PARAMETER_VALUE) ?? [];
      if (value === undefined) return { challenges, malformed: malformedPart };
      parameters.set(name.toLowerCase(), quotedValue?.replace(/\\(.)/gs, "$1") ?? value);
    }
    challenges.push({ scheme, parameters });
  }
  return { challenges };
}

const SEPARATORS = /[ \t,]*/y;
// RFC 9110, sections 5.6.2 and 11.3: a token that stands alone, or white space and a token68 or parameters follow.
const SCHEME = /([!#$%&'*+\-.^`|~\w]+)(?:(?=[ \t]*(?:,|$))|[ \t]+)/y;
// RFC 9110, section 11.2. The look-ahead separates `a=`, a token68, from `a=b`, a parameter.
const TOKEN68 = /[\w\-.~+/]+=*(?=[ \t]*(?:,|$))/y;
const PARAMETER_NAME = /[ \t,]*([!#$%&'*+\-.^`|~\w]+)[ \t]*=[ \t]*/y;
// Some clients also read a parameter of Digest that is a word alone, such as `stale`. It is taken for empty.
const DIGEST_PARAMETER_NAME = /[ \t,]*([!#$%&'*+\-.^`|~\w]+)[ \t]*(?:=[ \t]*|(?=,|$))/y;
// RFC 9110, section 5.6.4. Without quotes it may be empty, and have more characters than a token, because some servers write
// `realm=` or base64 like this.
const PARAMETER_VALUE = /(?:"((?:[^"\\]|\\.)*)"|[^\s",]*)(?=[ \t]*(?:,|$))/sy;

/** Both are ASCII, as the keys of the service are. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Signs requests with the nonce of one challenge. */
export class RequestSigner {
  readonly #challenge: DigestChallenge;
  /** The nonce of the client. */
  readonly #cnonce: string;
  /** The hash of A1, which is the same for all requests. */
  readonly #keyHash: string;
  /** The parameters of the header that are the same for all requests. */
  readonly #constant: string;

  constructor(challenge: DigestChallenge, { username, password }: Credentials, cnonce: string) {
    const { nonce, realm, opaque, algorithm, hash, session, qop } = challenge;
    const secret = hexadecimalHash(hash, `${username}:${realm}:${password}`);
    this.#challenge = challenge;
    this.#cnonce = cnonce;
    // RFC 7616, section 3.4.2
    this.#keyHash = session ? hexadecimalHash(hash, `${secret}:${nonce}:${cnonce}`) : secret;
    this.#constant = [
      `Digest username="${quotable(username)}", realm="${quotable(realm)}", nonce="${quotable(nonce)}"`,
      opaque === undefined ? "" : `, opaque="${quotable(opaque)}"`,
      algorithm === undefined ? "" : `, algorithm=${algorithm}`,
      qop === undefined ? "" : `, qop=${qop}, cnonce="${cnonce}"`,
    ].join("");
  }

  /**
   * Signs one request.
   * @param count the nonce count, from 1
   * @param uri the request target exactly as it goes over the wire (RFC 7616, section 3.4.6); it has no character that has to be quoted
   * @returns the value of the `Authorization` header
   * @see RFC 7616, section 3.4.1
   */
  sign(count: number, method: string, uri: string): string {
    const { hash, nonce, qop } = this.#challenge;
    const nc = count.toString(16).padStart(8, "0");
    // Without qop there is no count (RFC 2069).
    const [parameter, countPart] = qop === undefined ? ["", ""] : [`, nc=${nc}`, `${nc}:${this.#cnonce}:${qop}:`];
    const request = hexadecimalHash(hash, `${method}:${uri}`);
    const response = hexadecimalHash(hash, `${this.#keyHash}:${nonce}:${countPart}${request}`);
    return `${this.#constant}${parameter}, uri="${uri}", response="${response}"`;
  }
}

function quotable(text: string): string {
  return text.replace(/["\\]/g, "\\$&");
}

/** OpenSSL does not allow the hash that the server asks for, as it does not allow MD5 in FIPS mode. */
export class UnavailableHash extends Error {
  readonly algorithm: string;

  constructor(algorithm: string, cause: unknown) {
    super(`OpenSSL does not allow ${algorithm}.`, { cause });
    this.algorithm = algorithm;
  }
}

/** Node.js returns headers with one character for each byte, so latin1 gives back the bytes that the server sent. */
function hexadecimalHash(algorithm: string, text: string): string {
  try {
    return crypto.hash(algorithm, Buffer.from(text, "latin1"), "hex");
  } catch (cause) {
    const isUnsupported = cause instanceof Error && "code" in cause && cause.code === "ERR_OSSL_EVP_UNSUPPORTED";
    throw isUnsupported ? new UnavailableHash(algorithm.toUpperCase(), cause) : cause;
  }
}
