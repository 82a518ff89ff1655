import { stripVTControlCharacters } from "node:util";

/** Removes colours: a program may colour its own errors, and the CLI leaves marks such as <{%fg 1%}> with --color never. */
export function withoutColours(text: string): string {
  return stripVTControlCharacters(text).replace(/<\{%[^%]*%\}>/g, "");
}
