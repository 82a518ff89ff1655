import { tmpdir } from "node:os";
import path from "node:path";
import type { Service } from "../../sdk/testing/index.ts";
import { type CommandResult, runCommand } from "../deployment/run-command.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The command as it is published. */
export const MAIN = path.resolve(import.meta.dirname, "../../dist/command/main.js");

/** The environment in which the command reaches a service. */
export function environmentOf({ baseUrl }: Pick<Service, "baseUrl">): Readonly<Record<string, string>> {
  return {
    AGENT_LOG_CONFIG_BASE_URL: baseUrl,
    AGENT_LOG_CONFIG_PUBLIC_KEY: "publickey",
    AGENT_LOG_CONFIG_PRIVATE_KEY: "private-key-0001",
    AGENT_LOG_CONFIG_ALLOW_HTTP: "true",
  };
}

/** Runs the package's command with nothing but this environment's connection settings. */
export function runMain(
  environment: Environment,
  args: readonly string[],
  { input = "", nodeArgs = [] }: { readonly input?: string; readonly nodeArgs?: readonly string[] } = {},
): Promise<CommandResult> {
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, ...environment };
  const signal = AbortSignal.timeout(60_000);
  return runCommand(process.execPath, [...nodeArgs, MAIN, ...args], { cwd: tmpdir(), env, signal, input });
}
