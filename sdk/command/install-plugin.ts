import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { isObject } from "../client/is-object.ts";
import { pulumiEnvironment } from "./pulumi-environment.ts";
import { wrongArguments } from "./wrong-arguments.ts";

const USAGE = `Usage: pulumi-agent-log-config install-plugin [--print]

Lets the Pulumi CLI install the plugin that this package contains, which Pulumi
YAML, Python, Go, .NET and Java use. The plugin runs on the node of the PATH.

  --print  prints the command for the Pulumi CLI, and does not run it

Exit code: that of the Pulumi CLI, 1 if there is none, 2 for wrong arguments.
`;

// The build puts the archive beside the compiled code.
const ARCHIVE = fileURLToPath(new URL("../plugin/pulumi-resource-agent-log-config.tar.gz", import.meta.url));
const COMMAND = ["plugin", "install", "resource", "agent-log-config", packageJson.version, "--file", ARCHIVE];

/** Installs the plugin where the engine looks for it, and passes on what the Pulumi CLI prints. Returns the exit code. */
export async function installPlugin(args: readonly string[]): Promise<number> {
  try {
    const options = { print: { type: "boolean" }, help: { type: "boolean" } } as const;
    const { values } = parseArgs({ args: [...args], options });
    if (!values.help && !values.print) return await runPulumi();
    process.stdout.write(values.help ? USAGE : `${["pulumi", ...COMMAND].map(quote).join(" ")}\n`);
    return 0;
  } catch (error) {
    return wrongArguments(error);
  }
}

async function runPulumi(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  spawn("pulumi", COMMAND, { stdio: "inherit", env: pulumiEnvironment() })
    .once("error", reject)
    .once("close", (code) => {
      if (code === 0) process.stdout.write(`The plugin agent-log-config ${packageJson.version} is installed.\n`);
      resolve(code ?? 1);
    });
  return promise.catch((error: unknown) => {
    if (!isObject(error) || error["code"] !== "ENOENT") throw error;
    process.stderr.write(
      "The plugin can't be installed because there is no pulumi command on the PATH outside of node_modules; install the Pulumi CLI.\n",
    );
    return 1;
  });
}

/** As a shell reads it: a path may contain spaces. */
function quote(word: string): string {
  return /^[\w./:\\@+-]+$/.test(word) ? word : `"${word}"`;
}
