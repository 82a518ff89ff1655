import type * as pulumi from "@pulumi/pulumi";
import { type GetAgentLogConfigsArgs, type ReadManyResult, readMany } from "../connection/read-many.ts";
import { FUNCTIONS } from "../engine/resource-type.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import type { AgentLogConfigsArgs } from "./agent-log-configs.ts";
import { callNow, callWhenKnown, type FunctionCall } from "./function-call.ts";
import { type GetAgentLogConfigResult, withSecrets } from "./get-agent-log-config.ts";
import { readOnce } from "./read-once.ts";

/** The arguments of {@link getAgentLogConfigsOutput}. */
export interface GetAgentLogConfigsOutputArgs extends Pick<AgentLogConfigsArgs, "agents"> {
  /** The ids of the projects, 24 hexadecimal digits each. For an empty list, the result is empty. */
  readonly projectIds: pulumi.Input<readonly pulumi.Input<string>[]>;
}

/** The settings that could be read and the failures, each in the order in which they were asked for. */
export type GetAgentLogConfigsResult = ReadManyResult<GetAgentLogConfigResult>;

/**
 * Reads the log settings of many projects, 16 reads at a time, in previews too. If some of the reads fail, each of them is an entry
 * of `failures`. A program makes equal reads once, except those that wait for a resource.
 *
 * @param args what to read, as plain values
 * @param opts `provider` or `parent` for an explicit {@link Provider}; its settings must be known
 * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for an id that is not 24 hexadecimal digits, and for an agent that
 * does not exist; the error of the first read if no read succeeds, such as with a wrong key
 * @example
 * ```ts
 * import { getAgentLogConfigs } from "pulumi-agent-log-config";
 *
 * const projectIds = ["0123456789abcdef01234567", "89abcdef0123456789abcdef"];
 * const { configs, failures } = await getAgentLogConfigs({ projectIds, agents: ["monitoring"] });
 * export const logPaths = configs.map(({ logPath }) => logPath);
 * export const unread = failures.map(({ projectId, message }) => `${projectId}: ${message}`);
 * ```
 */
export async function getAgentLogConfigs(
  args: GetAgentLogConfigsArgs,
  opts: pulumi.InvokeOptions = {},
): Promise<GetAgentLogConfigsResult> {
  return withAllSecrets(await callNow(FUNCTIONS.getAgentLogConfigs, args, opts, readAll));
}

/**
 * Reads the log settings of many projects, 16 reads at a time, in previews too, as soon as the arguments are known. If some of
 * the reads fail, each of them is an entry of `failures`.
 *
 * Choose settings from a result in an `apply`: `pulumi.all` and `pulumi.output` make the whole result a secret, because
 * `configOverrides` is a secret.
 *
 * @param args what to read; values or Outputs
 * @param opts `provider` or `parent` for an explicit {@link Provider}, `dependsOn` for what must exist first
 * @throws {@link AgentLogConfigError} in the same cases as {@link getAgentLogConfigs}. It fails the program; in unit tests and
 * inline programs it fails the Output
 * @example
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { getAgentLogConfigsOutput } from "pulumi-agent-log-config";
 *
 * const projects = new pulumi.StackReference("organization/projects/prod");
 * const { configs } = getAgentLogConfigsOutput({ projectIds: projects.requireOutput("projectIds") });
 * export const logPaths = configs.apply((all) => all.map(({ logPath }) => logPath));
 * ```
 */
export function getAgentLogConfigsOutput(
  args: GetAgentLogConfigsOutputArgs,
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetAgentLogConfigsResult> {
  return callWhenKnown(FUNCTIONS.getAgentLogConfigs, args, opts, readAll).apply(withAllSecrets);
}

function readAll({
  connection,
  args,
  hasWaited,
  isSecret,
}: FunctionCall): Promise<ReadManyResult<AgentLogConfigResult>> {
  return readMany((one) => readOnce(connection, one, hasWaited), args, isSecret);
}

/** Mocks may return nothing. */
function withAllSecrets(result: ReadManyResult<AgentLogConfigResult>): GetAgentLogConfigsResult {
  return { ...result, configs: result.configs?.map(withSecrets) };
}
