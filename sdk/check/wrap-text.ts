/** Characters of a line. */
const WIDTH = 80;

/**
 * Breaks a text into lines of at most 80 characters. A word that does not fit beside the indentation, such as a URL, stands
 * alone on a line of its own, without the indentation, so that terminals recognize it and it can be copied.
 * @param first how the first line begins
 * @param indent the column at which the text begins on each line
 */
export function wrapText(first: string, text: string, indent: number): string {
  const lines: string[] = [];
  let line = first.padEnd(indent);
  let isEmpty = true;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const isLong = indent + word.length > WIDTH;
    if (isLong || (!isEmpty && line.length + 1 + word.length > WIDTH)) {
      if (!isEmpty || lines.length === 0) lines.push(line.trimEnd());
      line = " ".repeat(indent);
      isEmpty = true;
    }
    if (isLong) {
      lines.push(`${word.length + 2 > WIDTH ? "" : "  "}${word}`);
    } else {
      line += isEmpty ? word : ` ${word}`;
      isEmpty = false;
    }
  }
  if (!isEmpty || lines.length === 0) lines.push(line.trimEnd());
  return lines.join("\n");
}
