import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { PROJECT_ID } from "../client/agent-log-config-id.ts";
import { printable } from "../digest/printable.ts";

export const USAGE = `Usage: pulumi-agent-log-config check [--project <id>] [--projects-from <file>]
       [--stack <name>] [--json]

Tries the connection to the service step by step, and says where it fails and
what to do. It only reads, and prints no secret.

  --project <id>          reads this project, 24 hexadecimal digits; may be
                          given several times
  --projects-from <file>  reads the projects of this list, one id a line; lines
                          that begin with # are comments; - is standard input
  --stack <name>          takes the connection from this stack, and from the
                          environment what the stack does not have
  --json                  prints { ok, steps, projects } as JSON

Exit code: 0 if everything was read, 1 if not, 2 for wrong arguments.
`;

/** @throws Error whose message says what is wrong with the arguments, or with the list that they name */
export async function readCommandLine(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      project: { type: "string", multiple: true, default: [] },
      "projects-from": { type: "string" },
      stack: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { project: ids, "projects-from": listFile, ...others } = values;
  // In a list, a malformed id is a failure of its entry.
  if (!others.help && listFile === undefined && ids.length < 2 && !PROJECT_ID.test(ids[0] ?? "")) {
    throw new Error("Pass a project as --project <24 hexadecimal digits>, or a list as --projects-from <file>.");
  }
  // The CLI would take the selected stack.
  if (others.stack === "") throw new Error("--stack needs the name of a stack.");
  const listed = listFile === undefined ? [] : await readList(listFile);
  return { ...others, projectIds: [...new Set([...ids, ...listed].map((id) => printable(id, 80)))] };
}

async function readList(file: string): Promise<readonly string[]> {
  const list = await (file === "-" ? text(process.stdin) : readFile(file, "utf8")).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw new Error(`The list of projects ${printable(file)} can't be read${code}; name a text file.`);
  });
  const lines = list.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}
