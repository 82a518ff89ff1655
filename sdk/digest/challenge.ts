/**
 * One challenge of a `WWW-Authenticate` header. Names are in lower case. If a parameter comes twice, the last one counts, as
 * in curl and in browsers.
 */
export interface Challenge {
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
 * Reads the challenges of one header line.
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
    const readName = () => (hasToken68 ? undefined : take(parameterName)?.[1]);
    for (let name = readName(); name !== undefined; name = readName()) {
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
