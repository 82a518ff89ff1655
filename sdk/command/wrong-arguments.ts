import { printable } from "../digest/printable.ts";

/** Prints what is wrong with the arguments of a command. Returns the exit code. */
export function wrongArguments(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${printable(message).replace(/\.?$/, ".")} Try --help.\n`);
  return 2;
}
