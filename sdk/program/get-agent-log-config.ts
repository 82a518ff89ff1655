import * as pulumi from "@pulumi/pulumi";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import type { ReadArguments } from "../client/read-arguments.ts";
import { callWhenKnown, knownConnectionFor, printedOnce } from "./function-call.ts";
import { readOnce } from "./read-once.ts";

/** The arguments of {@link getAgentLogConfig}. */
export type GetAgentLogConfigArgs = ReadArguments;

/** The arguments of {@link getAgentLogConfigOutput}: those of {@link getAgentLogConfig}, as values or Outputs. */
export type GetAgentLogConfigOutputArgs = {
  readonly [Name in keyof ReadArguments]:
    | pulumi.Input<NonNullable<ReadArguments[Name]>>
    | Extract<ReadArguments[Name], undefined>;
};

/** The log settings of one agent of one project; each is undefined where the service has none. */
export interface GetAgentLogConfigResult extends Omit<AgentLogConfigResult, "configOverrides"> {
  /** Settings that differ from the agent's own. They may hold credentials, so this one field is a secret. */
  readonly configOverrides: pulumi.Output<AgentLogConfigResult["configOverrides"]>;
}

/**
 * Reads the log settings of one agent of one project, in previews too. A program makes each read once.
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
  return withSecret(await printedOnce(async () => readOnce(await knownConnectionFor(opts), args, PLAIN)));
}

/**
 * Reads the log settings of one agent of one project, in previews too, as soon as the arguments are known. Unknown
 * arguments give unknown results, secret arguments give secret results, and the read waits for the resources in `dependsOn` and
 * in the arguments. A program makes each read once, unless the read waits for a resource.
 *
 * Choose settings from a result in an `apply`: `pulumi.all` and `pulumi.output` make all of it a secret, because
 * `configOverrides` is one.
 *
 * @param args what to read; values or Outputs
 * @param opts `provider` or `parent` for an explicit {@link Provider}, `dependsOn` for what must exist first
 * @throws {@link AgentLogConfigError} with the `code` of what failed, as the failure of the Output
 * @example
 * ```ts
 * import { getAgentLogConfigOutput } from "pulumi-agent-log-config";
 *
 * const settings = getAgentLogConfigOutput({ projectId: "0123456789abcdef01234567", agent: "monitoring" });
 * export const rotatesAtMB = settings.logRotate.apply((thresholds) => thresholds?.sizeThresholdMB);
 * ```
 */
export function getAgentLogConfigOutput(
  args: GetAgentLogConfigOutputArgs,
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetAgentLogConfigResult> {
  return callWhenKnown(args, opts, readOnce).apply(withSecret);
}

/** Of arguments that are plain values. */
const PLAIN = { hasWaited: false, secret: false };

/** Marks the one field that may contain credentials as a secret. */
export function withSecret({ configOverrides, ...rest }: AgentLogConfigResult): GetAgentLogConfigResult {
  return { ...rest, configOverrides: pulumi.secret(configOverrides) };
}
