/**
 * Makes a foreign text safe for terminals and short: without characters that control a terminal, reorder or hide text, and
 * without `<{%`, which begins a colour in the Pulumi CLI and makes it panic where no colour follows.
 */
export function printable(text: string, maxLength = 300): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return short.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "\uFFFD").replaceAll("<{%", "<\uFFFD%");
}
