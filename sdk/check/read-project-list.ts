import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { printable } from "../client/printable.ts";

/**
 * Reads the ids of projects from a file, one a line; empty lines and lines that begin with `#` are ignored.
 * @param file `-` is the standard input
 * @throws Error whose message says in one sentence why it can't be read
 */
export async function readProjectList(file: string): Promise<readonly string[]> {
  const lines = (await readText(file)).replace(/^\uFEFF/, "").split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}

async function readText(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw new Error(
      `The list of projects ${printable(JSON.stringify(file), 200)} can't be read${code}; name a text file.`,
    );
  }
}
