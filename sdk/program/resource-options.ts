import * as pulumi from "@pulumi/pulumi";
import { hasEventual } from "./is-eventual.ts";
import { runsWithMocks } from "./private-sdk.ts";
import { providerOf, refuseMissingProvider } from "./provider.ts";

/**
 * Returns the options with which a resource is registered.
 * @param secrets the outputs that are secrets
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for a missing provider in a stack without default providers
 */
export function resourceOptions(
  type: string,
  name: string,
  opts: pulumi.CustomResourceOptions,
  secrets: readonly string[],
): pulumi.CustomResourceOptions {
  // A record is created by a read, so nothing is left that an import could do.
  const { import: _, provider = providerOf(opts.parent), ...others } = opts;
  // After super() it would be too late, because a resource whose inputs never come does not end its registration.
  if (!runsWithMocks()) refuseMissingProvider(provider, `${type} ${name}`);
  return { ...others, ...(provider && { provider }), additionalSecretOutputs: [...secrets] };
}

/** Marks those inputs as secrets that have the name of an output that is one: the options make only the outputs secrets. */
export function secretInputs(inputs: pulumi.Inputs, secrets: readonly string[]): pulumi.Inputs {
  const entries = Object.entries(inputs).map(([name, input]) => {
    return [name, secrets.includes(name) ? pulumi.secret(input) : input] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the names of the arguments that are secrets, or have a secret inside. */
export async function namesOfSecrets(args: object): Promise<readonly string[]> {
  const names = Object.entries(args).map(async ([name, value]) => {
    return hasEventual(value) && (await pulumi.isSecret(pulumi.output(value))) ? [name] : [];
  });
  return (await Promise.all(names)).flat();
}
