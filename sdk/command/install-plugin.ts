import { spawnSync } from "node:child_process";
import path from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { wrongArguments } from "./wrong-arguments.ts";

// The build puts the archive beside the compiled code.
const ARCHIVE = path.join(import.meta.dirname, "../plugin/pulumi-resource-agent-log-config.tar.gz");
const COMMAND = ["plugin", "install", "resource", "agent-log-config", packageJson.version, "--file", ARCHIVE];

/** Installs the plugin where the engine looks for it, and passes on what the Pulumi CLI prints. Returns the exit code. */
export function installPlugin(args: readonly string[]): number {
  if (args.length > 0) return wrongArguments("install-plugin takes no arguments.");
  const { status, error } = spawnSync("pulumi", COMMAND, { stdio: "inherit" });
  if (status === 0) process.stdout.write(`The plugin agent-log-config ${packageJson.version} is installed.\n`);
  if (error === undefined) return status ?? 1;
  if (!("code" in error) || error.code !== "ENOENT") throw error;
  process.stderr.write(
    "The plugin can't be installed because there is no pulumi command on the PATH; install the Pulumi CLI.\n",
  );
  return 1;
}
