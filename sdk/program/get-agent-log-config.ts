import * as pulumi from "@pulumi/pulumi";
import { FUNCTIONS } from "../engine/resource-type.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { parseArgument } from "../model/parse-argument.ts";
import { type ReadArguments, readArgumentsSchema } from "../model/read-arguments.ts";
import { callNow, callWhenKnown, type FunctionCall } from "./function-call.ts";
import { readOnce } from "./read-once.ts";

/** The arguments of {@link getAgentLogConfig}. */
export type GetAgentLogConfigArgs = ReadArguments;

/** The arguments of {@link getAgentLogConfigOutput}: those of {@link getAgentLogConfig}, as values or Outputs. */
export type GetAgentLogConfigOutputArgs = {
  readonly [Name in keyof ReadArguments]:
    | pulumi.Input<NonNullable<ReadArguments[Name]>>
    | Extract<ReadArguments[Name], undefined>;
};

/** The log settings of one agent of one project. */
export type GetAgentLogConfigResult = Omit<AgentLogConfigResult, "configOverrides"> & {
  /**
   * Settings that differ from those of the agent itself; without members if there are none. They may contain credentials, so only this
   * field is a secret.
   */
  readonly configOverrides: pulumi.Output<AgentLogConfigResult["configOverrides"]>;
};

/**
 * Reads the log settings of one agent of one project, in previews too. A program makes equal reads once,
 * except those that wait for a resource.
 *
 * @param args what to read, as plain values
 * @param opts `provider` or `parent` for an explicit {@link Provider}; its settings must be known
 * @throws {@link AgentLogConfigError} with the `code` of what failed
 * @example
 * ```ts
 * import { getAgentLogConfig } from "pulumi-agent-log-config";
 *
 * const { logPath } = await getAgentLogConfig({ projectId: "0123456789abcdef01234567", agent: "backup" });
 * ```
 */
export async function getAgentLogConfig(
  args: GetAgentLogConfigArgs,
  opts: pulumi.InvokeOptions = {},
): Promise<GetAgentLogConfigResult> {
  return withSecrets(await callNow(FUNCTIONS.getAgentLogConfig, args, opts, readOne));
}

/**
 * Reads the log settings of one agent of one project, in previews too, as soon as the arguments are known. Unknown
 * arguments give unknown results, and secret arguments give secret results. The read waits for the resources in `dependsOn` and
 * in the arguments. A program makes equal reads once, except those that wait for a resource.
 *
 * Choose settings from a result in an `apply`: `pulumi.all` and `pulumi.output` make the whole result a secret, because
 * `configOverrides` is a secret.
 *
 * @param args what to read; values or Outputs
 * @param opts `provider` or `parent` for an explicit {@link Provider}, `dependsOn` for what must exist first
 * @throws {@link AgentLogConfigError} with the `code` of what failed. It fails the program; in unit tests and inline programs it
 * fails the Output
 * @example
 * ```ts
 * import { getAgentLogConfigOutput } from "pulumi-agent-log-config";
 *
 * const settings = getAgentLogConfigOutput({ projectId: "0123456789abcdef01234567", agent: "monitoring" });
 * export const rotatesAtMB = settings.logRotate.sizeThresholdMB;
 * ```
 */
export function getAgentLogConfigOutput(
  args: GetAgentLogConfigOutputArgs,
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetAgentLogConfigResult> {
  return callWhenKnown(FUNCTIONS.getAgentLogConfig, args, opts, readOne).apply(withSecrets);
}

async function readOne({ connection, args, hasWaited, isSecret }: FunctionCall): Promise<AgentLogConfigResult> {
  return readOnce(connection, parseArgument(readArgumentsSchema, args, "Nothing was read", { isSecret }), hasWaited);
}

/** Marks what may contain credentials as secrets. */
export function withSecrets(result: AgentLogConfigResult): GetAgentLogConfigResult {
  const { configOverrides } = result;
  // The type that `pulumi.secret` returns for a map has no index signature.
  return { ...result, configOverrides: pulumi.secret(result).apply<typeof configOverrides>(() => configOverrides) };
}
