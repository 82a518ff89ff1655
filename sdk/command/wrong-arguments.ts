import { printable } from "../text/printable.ts";

/** Prints what is wrong with the arguments of a command. Returns the exit code. */
export function wrongArguments(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  // Node.js itself breaks some of these messages into lines.
  const line = printable(message.replaceAll("\n", " "));
  process.stderr.write(`${line.replace(/\.?$/, ".")} Try --help.\n`);
  return 2;
}
