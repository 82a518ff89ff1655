import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";

/** A stack's configuration by full key, secrets in clear; or why there is none. */
export type StackConfiguration = Readonly<Record<string, string>> | Error;

/** Asks the Pulumi CLI for the configuration of a stack of the project in the current folder. */
export async function readStackConfiguration(stack: string): Promise<StackConfiguration> {
  try {
    const command = ["config", "--json", "--show-secrets", "--non-interactive", "--stack", stack];
    const { stdout } = await promisify(execFile)("pulumi", command);
    const configuration: unknown = JSON.parse(stdout);
    return Object.fromEntries(Object.entries(isObject(configuration) ? configuration : {}).flatMap(readEntry));
  } catch (error) {
    return new Error(`The configuration of stack ${printable(stack)} can't be read: ${whyNot(error)}.`);
  }
}

function readEntry([key, entry]: [string, unknown]): [string, string][] {
  return isObject(entry) && typeof entry["value"] === "string" ? [[key, entry["value"]]] : [];
}

/** Nothing of what the command was given or has printed on standard output, where the secrets are. */
function whyNot(error: unknown): string {
  if (!isObject(error)) return "an unknown failure";
  if (error["code"] === "ENOENT")
    return "there is no pulumi command on the PATH; set the environment variables instead";
  const [, says = ""] = /error: ([^\n]*)/.exec(String(error["stderr"] ?? "")) ?? [];
  return printable(says).replace(/\.$/, "") || "the pulumi command failed";
}
