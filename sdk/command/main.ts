#!/usr/bin/env node

import { wrongArguments } from "./wrong-arguments.ts";

const USAGE = `Usage: pulumi-agent-log-config <command> [options]

  check           reads projects, and says where each connection setting comes
                  from, what failed and what to do; it only reads, and prints no
                  key; it ends with 0 if everything was read, 1 if not, and
                  2 for wrong arguments
    -p, --project <id>      reads this project, 24 hexadecimal digits; may be
                            repeated
    -s, --stack <name>      takes the connection from this stack, and from the
                            environment what the stack does not have; default:
                            the selected stack of the project in this folder
    --json                  prints { ok, settings, service, warnings, configs,
                            failures } as JSON

  install-plugin  lets the Pulumi CLI install the plugin that this package
                  contains, for Pulumi YAML, Python, Go, .NET and Java; its exit
                  code is the CLI's; the plugin uses the first node on the PATH

  stand-in        runs a stand-in for the service on this machine, prints how to
                  connect to it, and changes a threshold when you press Enter;
                  Ctrl+C ends it
    --port <number>         listens on this port of 127.0.0.1; default: 8080;
                            0 takes a free one

  --version       prints the version of this package
  --help          prints this`;

/** Each command prints what it has to say, and returns the exit code. Its modules are loaded when it is called. */
const COMMANDS = new Map<string, (args: readonly string[]) => Promise<number>>([
  ["check", async (args) => (await import("./check-projects.ts")).checkProjects(args)],
  ["install-plugin", async (args) => (await import("./install-plugin.ts")).installPlugin(args)],
  ["stand-in", async (args) => (await import("./stand-in.ts")).standIn(args)],
  ["--version", async () => print((await import("../../package.json", { with: { type: "json" } })).default.version)],
]);

// If standard error can't be written to, nothing can be said about it.
process.stderr.on("error", () => {});
process.stdout.on("error", (error) => {
  // A reader such as `head` may close the pipe early.
  if ("code" in error && error.code === "EPIPE") return;
  process.stderr.write(`The output can't be written (${error.message}).\n`);
  process.exit(1);
});
void main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined) return wrongArguments("Name a command: check, install-plugin or stand-in.");
  try {
    // The modules of a command do not load on another runtime.
    await import("../refuse-other-runtimes.ts");
  } catch (error) {
    return print(`${error instanceof Error ? error.message : error}`, 1);
  }
  if (name === "--help" || args.includes("--help")) return print(USAGE);
  const command = COMMANDS.get(name);
  return command === undefined ? wrongArguments(`There is no command ${JSON.stringify(name)}.`) : command(args);
}

function print(text: string, exitCode = 0): number {
  (exitCode === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  return exitCode;
}
