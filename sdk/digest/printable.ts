/**
 * Makes text from elsewhere fit for an error message: short, and without characters that a terminal would obey, such as
 * control characters, bidirectional overrides and line separators.
 */
export function printable(text: string): string {
  const start = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return start.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}

const MAX_LENGTH = 200;
