import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { killGroup } from "../deployment/run-command.ts";
import { runEnvironment } from "../deployment/run-environment.ts";

/** What the processes of a run have in common. */
export interface RunProcess {
  /** The folder of the program. */
  readonly directory: string;
  readonly node: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** Takes each line that a process prints. */
  readonly print: (line: string) => void;
}

/** Starts a script of the SDK that the program folder has. It ends with the run. */
export function startScript(
  { directory, node, env, signal, print }: RunProcess,
  script: string,
  args: readonly string[],
  others: Readonly<Record<string, string>>,
): ChildProcess {
  signal.throwIfAborted();
  const file = createRequire(join(directory, "package.json")).resolve(`@pulumi/pulumi/cmd/${script}/index.js`);
  const child = spawn(node, [file, ...args], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    env: { ...runEnvironment(env), ...others },
  });
  const kill = () => killGroup(child.pid);
  signal.addEventListener("abort", kill, { once: true });
  child.once("close", () => signal.removeEventListener("abort", kill));
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on("line", print);
  return child;
}
