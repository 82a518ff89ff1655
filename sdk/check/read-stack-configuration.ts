import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AgentLogConfigError } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";

/** A value of a stack's configuration, in clear. */
export interface StackValue {
  readonly value: string;
  /** The stack keeps it encrypted. */
  readonly secret: boolean;
}

/** A stack's configuration by full key. */
export type StackConfiguration = Readonly<Record<string, StackValue>>;

/**
 * Asks the Pulumi CLI for the configuration of a stack of the project in the current folder.
 * @throws AgentLogConfigError `ERR_MISSING_SETTINGS` that says why there is none
 */
export async function readStackConfiguration(stack: string): Promise<StackConfiguration> {
  try {
    const command = ["config", "--json", "--show-secrets", "--non-interactive", "--stack", stack];
    const { stdout } = await promisify(execFile)("pulumi", command);
    const configuration: unknown = JSON.parse(stdout);
    return Object.fromEntries(Object.entries(isObject(configuration) ? configuration : {}).flatMap(readEntry));
  } catch (error) {
    throw new AgentLogConfigError(
      "ERR_MISSING_SETTINGS",
      `The configuration of stack ${printable(stack)} can't be read: ${reasonOf(error)}.`,
    );
  }
}

function readEntry([key, entry]: [string, unknown]): [string, StackValue][] {
  if (!isObject(entry) || typeof entry["value"] !== "string") return [];
  return [[key, { value: entry["value"], secret: entry["secret"] === true }]];
}

/** Quotes neither the arguments of the command nor its standard output, which has the secrets. */
function reasonOf(error: unknown): string {
  if (!isObject(error)) return "an unknown failure";
  if (error["code"] === "ENOENT")
    return "there is no pulumi command on the PATH; set the environment variables instead";
  const [, message = ""] = /error: ([^\n]*)/.exec(String(error["stderr"] ?? "")) ?? [];
  return printable(message).replace(/\.$/, "") || "the pulumi command failed";
}
