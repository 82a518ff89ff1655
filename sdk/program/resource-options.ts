import * as pulumi from "@pulumi/pulumi";
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

/**
 * Returns the place at which a resource fails: in its update, or in the program of a preview. It does not fail in its check,
 * because the engine would end its work there. In a component provider it is undefined, because there is no program that could
 * fail the run.
 */
export function whereItFails(): "update" | "program" | undefined {
  if (!pulumi.runtime.isDryRun()) return "update";
  return pulumi.runtime.getStackResource() === undefined ? undefined : "program";
}
