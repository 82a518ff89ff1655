/** A text of the service as it may be shown on a terminal: cut, and without what moves a cursor or turns text around. */
export function printable(text: string, maxLength = 300): string {
  return text.slice(0, maxLength).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}
