import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { AgentLogConfigError } from "../model/errors.ts";
import { isObject } from "../model/is-object.ts";
import { printable } from "../model/printable.ts";

/**
 * Asks the Pulumi CLI for the configuration of a stack of the project in the current folder, in clear.
 * @throws AgentLogConfigError `ERR_STACK` that says why there is none
 */
export async function readStack(stack: string): Promise<z.infer<typeof configurationSchema>> {
  const args = ["config", "--json", "--show-secrets", "--stack", stack, "--non-interactive", "--color=never"];
  try {
    const { stdout } = await promisify(execFile)("pulumi", args, {
      maxBuffer: Number.POSITIVE_INFINITY,
    });
    return configurationSchema.parse(JSON.parse(stdout));
  } catch (error) {
    const subject = `The configuration of stack ${printable(stack)} can't be read`;
    throw new AgentLogConfigError("ERR_STACK", reasonOf(error), { subject });
  }
}

const configurationSchema = z.record(z.string(), z.object({ value: z.string().optional(), secret: z.boolean() }));

/** Quotes neither the arguments of the command nor its standard output, which has the secrets. */
function reasonOf(error: unknown): string {
  const { code, stderr }: Readonly<Record<string, unknown>> = isObject(error) ? error : {};
  if (code === "ENOENT") return "there is no pulumi command on the PATH; install it, or set the environment variables";
  const [, says = "the pulumi command failed"] = /^error: (.*[^.\n])/m.exec(String(stderr)) ?? [];
  // The address of a backend may have a password before its host or in its query.
  const withoutSecrets = says.replaceAll(/:\/\/[^\s"]*@/g, "://***@").replaceAll(/\?[^\s"]+/g, "?***");
  return `${printable(withoutSecrets, 300)}; check the name with \`pulumi stack ls\`, the passphrase and the backend`;
}
