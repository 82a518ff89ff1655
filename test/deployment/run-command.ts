import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { refuseSecrets } from "./refuse-secrets.ts";

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** What the command reads from its standard input. */
  readonly input?: string;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command without a terminal. An abort ends it with everything it started, and rejects; so does a secret in sight. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  options.signal.throwIfAborted();
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: "pipe",
    detached: process.platform !== "win32",
  });
  // A command that does not read its input may end before it is written.
  child.stdin.on("error", () => {}).end(options.input ?? "");
  const kill = () => killTree(child.pid);
  options.signal.addEventListener("abort", kill, { once: true });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? -1));
  });
  try {
    const [exitCode, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    options.signal.throwIfAborted();
    refuseSecrets(...args, stdout, stderr);
    return { exitCode, stdout, stderr };
  } finally {
    options.signal.removeEventListener("abort", kill);
  }
}

/** The CLI starts its plugins in groups of their own, and they outlive a CLI that is killed. */
function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  const children = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).stdout ?? "";
  const pairs = children.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const tree = [pid];
  for (const parent of tree) tree.push(...pairs.flatMap(([child, of]) => (child && of === parent ? [child] : [])));
  for (const member of tree) killGroup(member);
}

/** A child that was spawned detached leads a group of its own: the group goes, and so does what the child started. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It leads no group, or has ended already.
  }
}
