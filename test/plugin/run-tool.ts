import type { TestContext } from "vitest";
import { type CommandResult, runCommand } from "../deployment/run-command.ts";
import { runEnvironment } from "../deployment/run-environment.ts";

/** Runs a command of a language's tools; one that is missing fails as others do. */
export function runTool(
  { signal }: TestContext,
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const missing = { exitCode: -1, stdout: "", stderr: `there is no ${command}` };
  return runCommand(command, args, { cwd, env: runEnvironment(env), signal }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return missing;
  });
}
