import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { AgentLogConfigError } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { printable } from "../digest/printable.ts";
import { CONFIGURATION_NAMESPACE } from "../shared/connection-settings.ts";
import { pulumiEnvironment } from "./pulumi-environment.ts";

/**
 * Asks the Pulumi CLI for the configuration of a stack of the project in the current folder, in clear.
 * @throws AgentLogConfigError `ERR_STACK` that says why there is none
 */
export async function readStack(stack: string): Promise<z.infer<typeof configurationSchema>> {
  try {
    return configurationSchema.parse(JSON.parse(await run(["config", "--json", "--show-secrets", "--stack", stack])));
  } catch (error) {
    const subject = `The configuration of stack ${printable(stack)} can't be read`;
    throw new AgentLogConfigError("ERR_STACK", reasonOf(error), { subject });
  }
}

/**
 * Says where the settings may be that were not found. It decrypts no secret, and waits 5 seconds at most.
 * @param asked the stack that was looked up; undefined where it was the environment alone
 */
export async function suggestStack(asked: string | undefined): Promise<string> {
  if (asked !== undefined) return ARGUMENTS;
  const ask = (...args: readonly string[]) => run(args, 5000).catch(() => "");
  const [selected, configuration] = await Promise.all([ask("stack", "--show-name"), ask("config", "--json")]);
  const isUseful = selected !== "" && configuration.includes(`"${CONFIGURATION_NAMESPACE}:`);
  const which = isUseful ? `${printable(selected.trim())}, which is selected here` : "<name>";
  const advice = `Without --stack only the environment is looked up; for the settings of a stack pass --stack ${which}.`;
  return isUseful ? advice : `${advice} ${ARGUMENTS}`;
}

const ARGUMENTS =
  "Settings that are arguments of a Provider are known to its program alone: to try them, set the environment variables that the message names.";

const configurationSchema = z.record(z.string(), z.object({ value: z.string().optional(), secret: z.boolean() }));

/** @param timeout milliseconds; 0 for no limit */
async function run(args: readonly string[], timeout = 0): Promise<string> {
  const options = { timeout, env: pulumiEnvironment() };
  const { stdout } = await promisify(execFile)("pulumi", [...args, "--non-interactive", "--color=never"], options);
  return stdout;
}

/** Quotes neither the arguments of the command nor its standard output, which has the secrets. */
function reasonOf(error: unknown): string {
  const { code, stderr }: Readonly<Record<string, unknown>> = isObject(error) ? error : {};
  if (code === "ENOENT")
    return "there is no pulumi command on the PATH outside of node_modules; install it, or set the environment variables";
  const [, says = "the pulumi command failed"] = /^error: (.*[^.\n])/m.exec(String(stderr)) ?? [];
  // The address of a backend may have a password before its host or in its query.
  const withoutSecrets = says.replaceAll(/:\/\/[^\s"]*@/g, "://***@").replaceAll(/\?[^\s"]+/g, "?***");
  return `${printable(withoutSecrets, 300)}; check the name with \`pulumi stack ls\`, the passphrase and the backend`;
}
