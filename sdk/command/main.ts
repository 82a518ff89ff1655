#!/usr/bin/env node

import { wrongArguments } from "./wrong-arguments.ts";

const USAGE = `Usage: pulumi-agent-log-config <command> [options]

  check           tries the connection to the service step by step
  install-plugin  installs the plugin for Pulumi programs in other languages
  --version       prints the version of this package
  --help          prints this; after a command, its options`;

/** Each command prints what it has to say, and returns the exit code. Its modules are loaded when it is called. */
const COMMANDS = new Map<string, (args: readonly string[]) => Promise<number>>([
  ["check", async (args) => (await import("./check.ts")).check(args)],
  ["install-plugin", async (args) => (await import("./install-plugin.ts")).installPlugin(args)],
  ["--version", async () => print((await import("../../package.json", { with: { type: "json" } })).default.version)],
  ["--help", async () => print(USAGE)],
]);

// A reader such as `head` may close the pipe early.
process.stdout.on("error", (error) => {
  if (!("code" in error) || error.code !== "EPIPE") throw error;
});
process.exitCode = await main(process.argv.slice(2));

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined) return wrongArguments("Name a command: check or install-plugin.");
  const command = COMMANDS.get(name);
  if (command === undefined) return wrongArguments(`There is no command ${JSON.stringify(name)}.`);
  try {
    // The modules of a command do not load on another runtime.
    await import("../client/refuse-other-runtimes.ts");
  } catch (error) {
    return print(`${error instanceof Error ? error.message : error}`, 1);
  }
  return command(args);
}

function print(text: string, exitCode = 0): number {
  (exitCode === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  return exitCode;
}
