import { parseArgs } from "node:util";
import { PROJECT_ID } from "../client/agent-log-config-id.ts";
import { printable } from "../client/printable.ts";

/** What the command is asked to do. */
export interface CommandLine {
  readonly help: boolean;
  readonly json: boolean;
  readonly stack: string | undefined;
  /** The ids as they were given. */
  readonly projectIds: readonly string[];
  /** The file that lists more ids; `-` is the standard input. */
  readonly listFile: string | undefined;
}

export const USAGE = `Usage: pulumi-agent-log-config check --project <id> [--stack <name>] [--json]
       pulumi-agent-log-config check --projects-from <file> [...]

Tries the connection to the service step by step, and says at which step it
fails and what to do. It only reads, and prints no secret.

  --project <id>   the project whose settings are read: 24 hexadecimal digits;
                   may be given several times
  --projects-from <file>
                   read the ids of projects from this file, one a line; - is
                   the standard input; empty lines and lines that begin with #
                   are ignored
  --stack <name>   take the connection settings from the configuration of this
                   stack of the Pulumi project in this folder, and those that it
                   lacks from the environment; without it: from the environment
  --json           print { ok, steps }, and projects where several are given, as
                   JSON
  --help           print this

Exit code: 0 if no step and no project failed, 1 if one failed, 2 for wrong
arguments.
`;

/**
 * Reads the arguments of the command.
 * @throws Error whose message says in one sentence what is wrong
 */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  const { help, json, stack, project: projectIds, "projects-from": listFile } = values;
  const commandLine = { help, json, stack, projectIds, listFile };
  if (help) return commandLine;
  const [command, ...others] = positionals;
  if (command !== "check" || others.length > 0) throw new Error("The only command is check.");
  const [projectId] = projectIds;
  if (projectId === undefined && listFile === undefined) {
    throw new Error("No project is given: pass --project <24 hexadecimal digits> or --projects-from <file>.");
  }
  // In a list, an id that is malformed is a failure of its entry.
  if (projectId !== undefined && projectIds.length === 1 && listFile === undefined && !PROJECT_ID.test(projectId)) {
    throw new Error(`--project must be 24 hexadecimal digits, not ${quote(projectId)}.`);
  }
  return commandLine;
}

/** Node.js words these errors in several sentences, some of which do not apply. */
function parse(args: readonly string[]) {
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const option = Object.entries(OPTIONS).find(([name]) => name === token.name)?.[1];
    if (option === undefined) throw new Error(`The option ${quote(token.rawName)} is unknown.`);
    if (option.type === "boolean" && token.value !== undefined) throw new Error(`${token.rawName} takes no value.`);
    const isOption = token.inlineValue === false && /^-./.test(token.value);
    if (option.type === "string" && (!token.value || isOption)) throw new Error(`${token.rawName} needs a value.`);
  }
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

const OPTIONS = {
  project: { type: "string", multiple: true, default: [] as string[] },
  "projects-from": { type: "string" },
  stack: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

function quote(text: string): string {
  return printable(JSON.stringify(text), 80);
}
