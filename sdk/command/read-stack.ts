import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { AgentLogConfigError } from "../model/errors.ts";
import { isObject } from "../text/json.ts";
import { printable } from "../text/printable.ts";

export type StackConfiguration = z.infer<typeof configurationSchema>;

/** Seconds that the Pulumi CLI may take, which may ask a backend and a service for secrets. */
const MAX_SECONDS = 30;

/** Bytes that it may print. */
const MAX_BYTES = 1_048_576;

/** Asks the Pulumi CLI for the configuration of a stack, or of the selected stack, of the project in the current folder, in clear. */
export async function readStack(stack: string | undefined, maxSeconds = MAX_SECONDS): Promise<StackConfiguration> {
  const choice = stack === undefined ? [] : ["--stack", stack];
  try {
    const json = await runPulumi(["config", "--json", "--show-secrets", ...choice], maxSeconds);
    return configurationSchema.parse(JSON.parse(json));
  } catch (error) {
    const name = stack === undefined ? "the selected stack" : `stack ${printable(stack)}`;
    const subject = `The configuration of ${name} can't be read`;
    throw new AgentLogConfigError("ERR_STACK", reasonOf(error, maxSeconds), { subject });
  }
}

const configurationSchema = z.record(z.string(), z.object({ value: z.string().optional(), secret: z.boolean() }));

/** Returns the name of the selected stack; undefined if there is none. */
export async function selectedStack(): Promise<string | undefined> {
  return runPulumi(["stack", "--show-name"], MAX_SECONDS).then(
    (name) => name.trim(),
    () => undefined,
  );
}

/** Returns what the Pulumi CLI prints. */
async function runPulumi(args: readonly string[], maxSeconds: number): Promise<string> {
  const options = { maxBuffer: MAX_BYTES, timeout: maxSeconds * 1000, killSignal: "SIGKILL" } as const;
  const { stdout } = await promisify(execFile)("pulumi", [...args, "--non-interactive", "--color=never"], options);
  return stdout;
}

/** Tells whether the Pulumi CLI finds a project: in the current folder, or in one above it. */
export function hasProject(folder = process.cwd()): boolean {
  const above = path.dirname(folder);
  return PROJECT_FILES.some((file) => existsSync(path.join(folder, file))) || (above !== folder && hasProject(above));
}

const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** Quotes neither the arguments of the command nor its standard output, which has the secrets. */
function reasonOf(error: unknown, maxSeconds: number): string {
  const { code, killed: isKilled, stderr }: Readonly<Record<string, unknown>> = isObject(error) ? error : {};
  if (code === "ENOENT") return "there is no pulumi command on the PATH; install it, or set the environment variables";
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "the pulumi command printed more than 1 MiB";
  if (isKilled === true) return `the pulumi command did not end within ${maxSeconds} s; check the backend of the stack`;
  const [, words = "the pulumi command failed; run `pulumi config` to see why"] =
    /^error: (.*[^.\n])/m.exec(String(stderr)) ?? [];
  // The address of a backend may have a password before its host or in its query.
  return printable(words.replaceAll(/:\/\/[^\s"]*@/g, "://***@").replaceAll(/\?[^\s"]+/g, "?***"), 300);
}
