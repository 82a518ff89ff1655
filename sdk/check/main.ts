#!/usr/bin/env node
import { parseArgs } from "node:util";
import { diagnose } from "./diagnose.ts";
import { readStackConfiguration } from "./read-stack-configuration.ts";
import { renderSteps } from "./render-steps.ts";

const USAGE = `Usage: pulumi-agent-log-config check --project <id> [--stack <name>] [--json]

Tries the connection to the service step by step, and says at which step it
fails and what to do. It only reads, and prints no secret.

  --project <id>   the project whose settings are read: 24 hexadecimal digits
  --stack <name>   take the connection settings from the configuration of this
                   stack of the Pulumi project in this folder, and those that it
                   lacks from the environment; without it: from the environment
  --json           print { ok, steps } as JSON
  --help           print this

Exit code: 0 if every step went well, 1 if one failed, 2 for wrong arguments.
`;

// Whoever reads the output may have read enough.
process.stdout.on("error", (error) => {
  if (!("code" in error) || error.code !== "EPIPE") throw error;
});
process.exitCode = await main();

async function main(): Promise<number> {
  const arguments_ = readArguments();
  if (arguments_ instanceof Error) {
    process.stderr.write(`${arguments_.message} Try --help.\n`);
    return 2;
  }
  const { help, json, project, stack } = arguments_;
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const steps = await diagnose(stack === undefined ? {} : await readStackConfiguration(stack), project);
  const ok = steps.every(({ status }) => status === "ok");
  process.stdout.write(json ? `${JSON.stringify({ ok, steps }, undefined, 2)}\n` : renderSteps(steps));
  return ok ? 0 : 1;
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        project: { type: "string" },
        stack: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    const { help, json, project = "", stack } = values;
    if (help) return { help, json, project, stack };
    if (positionals.length !== 1 || positionals[0] !== "check") throw new Error("The one command is check.");
    if (!/^[0-9a-f]{24}$/i.test(project)) throw new Error("The project is missing: --project <24 hexadecimal digits>.");
    return { help, json, project, stack };
  } catch (error) {
    // What parseArgs adds is about arguments that begin with "-", which there are none of.
    return new Error(/^.+?[.](?= |$)/.exec(String(error instanceof Error ? error.message : error))?.[0]);
  }
}
