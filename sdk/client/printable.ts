import { printable as withoutControls } from "../digest/printable.ts";

/**
 * Makes a foreign text safe for terminals and short. Beside what digest takes out it breaks `<{%`, which begins a colour in
 * the Pulumi CLI and makes it panic where no colour follows.
 */
export function printable(text: string, maxLength = 300): string {
  return withoutControls(text, maxLength).replaceAll("<{%", "<\uFFFD%");
}
