/**
 * Makes text from elsewhere fit for a message: short, without credentials of a request, and without what a terminal would obey,
 * such as control characters, bidirectional overrides and line separators. It also breaks `<{%`, which the Pulumi CLI takes for
 * a colour, and `##[`, `##vso[` and `##teamcity[`, which CI systems take for commands.
 */
export function printable(text: string, maxLength = 200): string {
  const start = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return start.replace(CREDENTIALS, "$1 ***").replace(UNPRINTABLE, "\uFFFD");
}

/**
 * The most characters of a list in a message, as gRPC sends them: percent-encoded, if they are not ASCII. It loses the messages of
 * errors that are longer than 8,192 in all.
 */
const MAX_ENCODED_CHARACTERS = 3000;

/** Returns the first texts of a list, at least one and at most so many, that fit into a message. */
export function firstThatFit(texts: readonly string[], maxCount: number): readonly string[] {
  let characters = 0;
  for (const [index, text] of texts.entries()) {
    characters += encodeURI(text.toWellFormed()).length;
    if (index === maxCount || (characters > MAX_ENCODED_CHARACTERS && index > 0)) return texts.slice(0, index);
  }
  return texts;
}

/** The second number sign of what Azure Pipelines and TeamCity take for a command, in the middle of a line too. */
export const PIPELINE_COMMAND = /(?<=#)#(?=(?:vso|teamcity)?\[)/i;

const UNPRINTABLE = new RegExp(`[\\p{C}\\p{Zl}\\p{Zp}]|(?<=<)\\{(?=%)|${PIPELINE_COMMAND.source}`, "giu");

/** Servers and proxies may repeat what they were sent. It is not known at which character the credentials end. */
const CREDENTIALS = /(authorization\W+(?:basic|digest)|digest(?=\W+username\b)|cookie(?=\W+[^\s=]+=))\b.*/is;

/** Ends a sentence about names that nothing has: lists them, and the valid ones. */
export function listUnknownNames(names: readonly string[], validNames: readonly string[]): string {
  return `${printable(names.join(", "), 100)}; the valid ones are ${validNames.join(", ")}`;
}

/** Ends a sentence that says what a value must be: quotes what it is instead, if that is a text, a number or a boolean. */
export function actualValue(value: unknown): string {
  if (!["string", "number", "boolean"].includes(typeof value)) return "";
  // Nobody counts more characters than these, such as those of an id.
  const length = typeof value === "string" && value.length > 20 ? ` (${value.length} characters)` : "";
  return `, not ${printable(JSON.stringify(value), 80)}${length}`;
}
