/**
 * One challenge of a `WWW-Authenticate` header. Names are in lower case. If a parameter comes twice, the last one counts, as
 * in curl and in browsers.
 */
export interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export interface ParsedChallenges {
  readonly challenges: readonly Challenge[];
  /**
   * The line from the first challenge that breaks the grammar. The challenges before it are valid. The parser ignores those
   * after it, because it can't know where a malformed challenge ends.
   */
  readonly malformed?: string;
}

/**
 * Reads the challenges of one header line.
 * @see RFC 9110, sections 11.2, 11.3 and 11.6.1
 */
export function parseChallenges(line: string): ParsedChallenges {
  const reader = new Reader(line);
  const challenges: Challenge[] = [];
  while (!reader.skipToElement()) {
    const start = reader.position;
    const scheme = reader.read(TOKEN)?.[0];
    // A scheme stands alone, or white space and its parameters follow.
    if (scheme === undefined || !(reader.read(END_OF_ELEMENT) || reader.read(WHITESPACE))) {
      return { challenges, malformed: line.slice(start) };
    }
    const parameters = reader.read(TOKEN68) ? new Map<string, string>() : readParameters(reader);
    if (parameters === undefined) return { challenges, malformed: line.slice(start) };
    challenges.push({ scheme: scheme.toLowerCase(), parameters });
  }
  return { challenges };
}

/** Reads parameters up to the end or to the next scheme; undefined if one is malformed. */
function readParameters(reader: Reader): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (;;) {
    if (reader.skipToElement()) return parameters;
    const name = reader.read(PARAMETER_NAME)?.[1];
    if (name === undefined) return parameters;
    const value = reader.read(QUOTED_STRING)?.[1]?.replace(/\\(.)/gs, "$1") ?? reader.read(UNQUOTED_VALUE)?.[0];
    if (value === undefined || !reader.read(END_OF_ELEMENT)) return undefined;
    parameters.set(name.toLowerCase(), value);
  }
}

// RFC 9110, section 5.6.2: tchar
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const WHITESPACE = /[ \t]+/y;
const END_OF_ELEMENT = /(?=[ \t]*(?:,|$))/y;
const LIST_SEPARATORS = /[ \t,]*/y;
const PARAMETER_NAME = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*=[ \t]*/y;
// RFC 9110, section 11.2. The look-ahead separates `a=`, a token68, from `a=b`, a parameter.
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
// RFC 9110, section 5.6.4
const QUOTED_STRING = /"((?:[^"\\]|\\.)*)"/sy;
// More than a token, because servers send base64 without quotes.
const UNQUOTED_VALUE = /[^\s",]+/y;

class Reader {
  position = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Skips commas and white space. Returns true at the end of the text. */
  skipToElement(): boolean {
    this.read(LIST_SEPARATORS);
    return this.position === this.#text.length;
  }

  /** Reads what the pattern matches at this position, if it matches. */
  read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match !== undefined) this.position = pattern.lastIndex;
    return match;
  }
}
