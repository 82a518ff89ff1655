import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseProperties } from "../stand-in-engine/property-value.ts";
import { cliEnvironment } from "./cli-environment.ts";
import type { Deployment, Run, RunOptions } from "./deployment.ts";
import { findPulumi } from "./find-pulumi.ts";
import { type CommandOptions, type CommandResult, runCommand } from "./run-command.ts";
import { summarizeStep } from "./step-summary.ts";
import { withoutColours } from "./without-colours.ts";

type Input = Partial<Pick<CommandOptions, "input" | "cwd">>;

/** Opens a new stack "dev" of the program on the real engine, apart from any other Pulumi set-up of this machine. */
export async function openRealDeployment(
  directory: string,
  env: Readonly<Record<string, string>>,
  node: string,
): Promise<Deployment> {
  const found = findPulumi();
  if ("reason" in found) throw new Error(`cannot run the real engine: ${found.reason}`);
  const folder = await mkdtemp(join(tmpdir(), "deployment-"));
  const isolated = cliEnvironment(found.path, { home: join(folder, "home"), backend: folder }, env, node);
  const common = ["--stack", "dev", "--non-interactive", "--color", "never"];
  const closing = new AbortController();
  const running: Promise<CommandResult>[] = [];
  let runs = 0;

  const pulumi = (args: readonly string[], options: RunOptions & Input = {}): Promise<CommandResult> => {
    const { input = "", cwd = directory } = options;
    const env = { ...isolated, ...options.env };
    const signal = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
    const command = runCommand(found.command, [...common, ...args], { cwd, env, signal, input });
    running.push(command);
    return command;
  };
  const succeed = async (args: readonly string[], input: Input = {}): Promise<string> => {
    const { exitCode, stdout, stderr } = await pulumi(args, input);
    if (exitCode !== 0) throw new Error(`pulumi ${args[0]} ended with ${exitCode}: ${stderr}`);
    return stdout;
  };
  const configFile = ["--config-file", join(folder, "Pulumi.dev.yaml")];
  const run = async (args: readonly string[], options: RunOptions = {}): Promise<Run> => {
    runs += 1;
    const events = join(folder, `events-${runs}.json`);
    const flags = ["--diff", ...configFile, "--event-log", events];
    const { exitCode, stdout, stderr } = await pulumi([...args, ...flags], options);
    return { ok: exitCode === 0, exitCode, text: withoutColours(stdout + stderr), steps: await readEventLog(events) };
  };

  // The stack's file with its salt is written beside Pulumi.yaml: a copy keeps it out of the program folder.
  await copyFile(join(directory, "Pulumi.yaml"), join(folder, "Pulumi.yaml"));
  await succeed(["stack", "init"], { cwd: folder });

  return {
    run,
    setConfig: async (key, value, { secret = false } = {}) => {
      await succeed(["config", "set", secret ? "--secret" : "--plaintext", ...configFile, "--", key], { input: value });
    },
    setConfigs: async (values) => {
      const pairs = Object.entries(values).flatMap(([key, value]) => ["--plaintext", `${key}=${value}`]);
      await succeed(["config", "set-all", ...configFile, ...pairs]);
    },
    unsetConfig: async (key) => {
      await succeed(["config", "rm", ...configFile, "--", key]);
    },
    preview: ({ expectNoChanges = false, ...options } = {}) =>
      run(["preview", ...(expectNoChanges ? ["--expect-no-changes"] : [])], options),
    up: (options) => run(["up", "--yes", "--skip-preview"], options),
    refresh: (options) => run(["refresh", "--yes", "--skip-preview"], options),
    destroy: (options) => run(["destroy", "--yes", "--skip-preview"], options),
    exportState: async () => JSON.parse(await succeed(["stack", "export"])),
    importState: async (state) => {
      await succeed(["stack", "import"], { input: JSON.stringify(state) });
    },
    outputs: async () => JSON.parse(await succeed(["stack", "output", "--json"])),
    close: async () => {
      closing.abort();
      await Promise.allSettled(running);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Reads what the CLI has written for `--event-log`, and returns the steps that change something. */
async function readEventLog(file: string): Promise<Run["steps"]> {
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean);
  return lines.flatMap((line) => {
    // The event after a step says what a refresh has found, too.
    const { resOutputsEvent: event } = parseProperties(JSON.parse(line));
    if (event === undefined) return [];
    const { op, urn, old, new: fresh } = parseProperties(parseProperties(event)["metadata"]);
    const inputsOf = (state: typeof old) => parseProperties(parseProperties(state)["inputs"]);
    return summarizeStep(String(op), String(urn), inputsOf(old), inputsOf(fresh));
  });
}
