import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { PROJECT_ID } from "../model/agent-log-config-id.ts";
import { notThis, printable } from "../model/printable.ts";

/** @throws Error whose message says what is wrong with the arguments, or with the list that they name */
export async function readCommandLine(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      project: { type: "string", short: "p", multiple: true, default: [] },
      "projects-from": { type: "string" },
      stack: { type: "string", short: "s" },
      json: { type: "boolean", default: false },
    },
  });
  const { project: ids, "projects-from": listFile, ...options } = values;
  // In a list, a malformed id is a failure of its entry.
  const [id] = ids;
  if (listFile === undefined && id === undefined) {
    throw new Error("Pass the id of a project with --project, or the file of a list of ids with --projects-from.");
  }
  if (listFile === undefined && ids.length === 1 && !PROJECT_ID.test(id ?? "")) {
    throw new Error(`--project needs the id of a project, 24 hexadecimal digits${notThis(id)}.`);
  }
  // The Pulumi CLI would take the selected stack, but the name may be a variable that is not set.
  if (options.stack === "") throw new Error("--stack needs the name of a stack.");
  const listEntries = listFile === undefined ? [] : await readList(listFile);
  const [first, ...others] = new Set([...ids, ...listEntries].map((id) => printable(id, 80)));
  // The command that makes the list may have failed.
  if (first === undefined) {
    throw new Error("The list has no projects, so nothing was read; write one id on each line.");
  }
  return { ...options, projectIds: [first, ...others] as const };
}

async function readList(file: string): Promise<readonly string[]> {
  const list = await (file === "-" ? text(process.stdin) : readFile(file, "utf8")).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw new Error(`The list of projects ${printable(file)} can't be read${code}; name a text file.`);
  });
  const lines = list.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** Prints what is wrong with the arguments of a command. Returns the exit code. */
export function wrongArguments(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  // Node.js itself breaks some of these messages into lines.
  const line = printable(message.replaceAll("\n", " "));
  process.stderr.write(`${line.replace(/\.?$/, ".")} Try --help.\n`);
  return 2;
}
