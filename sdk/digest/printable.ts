/**
 * Makes text from elsewhere fit for an error message: short, and without characters that a terminal would obey, such as
 * control characters, bidirectional overrides and line separators.
 */
export function printable(text: string, maxLength = 200): string {
  const start = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return start.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}
