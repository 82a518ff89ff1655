import * as pulumi from "@pulumi/pulumi";
import { FUNCTIONS } from "../engine/frozen-texts.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import { invalidArgument } from "../model/errors.ts";
import { parseReadArguments, type ReadArguments } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";
import { type GetAgentLogConfigsArgs, type ReadManyResult, readMany } from "../reading/read-many.ts";
import type { AgentLogConfigsArgs } from "./agent-log-configs.ts";
import { plainValueOf, runsWithMocks } from "./private-sdk.ts";
import { readShared } from "./program-state.ts";
import { connectionOf, type ProviderConnection, providerOf } from "./provider.ts";
import { failProgram, hideStack } from "./sdk-errors.ts";
import { waitForDependencies } from "./wait-for-resources.ts";

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
  const { getAgentLogConfig: name } = FUNCTIONS;
  // In a unit test Pulumi's mocks answer, as for every package.
  if (runsWithMocks()) return withSecrets(await pulumi.runtime.invoke(name, { ...args }, opts));
  try {
    return withSecrets(await readOne(await plainCall(name, args, opts)));
  } catch (error) {
    throw hideStack(error);
  }
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
  const { getAgentLogConfig: name } = FUNCTIONS;
  if (runsWithMocks()) {
    return pulumi.runtime.invokeOutput<AgentLogConfigResult>(name, { ...args }, opts).apply(withSecrets);
  }
  return eventualCall(name, args, opts).apply((call) => readOne(call).then(withSecrets, failProgram));
}

async function readOne({ connection, args, hasWaited, isSecret }: FunctionCall): Promise<AgentLogConfigResult> {
  return readShared(connection, parseReadArguments(args, { isSecret }), hasWaited);
}

/** Makes what may contain credentials a secret. */
function withSecrets(result: AgentLogConfigResult): GetAgentLogConfigResult {
  const { configOverrides } = result;
  // The type that `pulumi.secret` returns for a map has no index signature.
  return { ...result, configOverrides: pulumi.secret(result).apply<typeof configOverrides>(() => configOverrides) };
}

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
  const { getAgentLogConfigs: name } = FUNCTIONS;
  if (runsWithMocks()) return withAllSecrets(await pulumi.runtime.invoke(name, { ...args }, opts));
  try {
    return withAllSecrets(await readAll(await plainCall(name, args, opts)));
  } catch (error) {
    throw hideStack(error);
  }
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
  const { getAgentLogConfigs: name } = FUNCTIONS;
  if (runsWithMocks()) return pulumi.runtime.invokeOutput<Results>(name, { ...args }, opts).apply(withAllSecrets);
  return eventualCall(name, args, opts).apply((call) => readAll(call).then(withAllSecrets, failProgram));
}

type Results = ReadManyResult<AgentLogConfigResult>;

function readAll({ connection, args, hasWaited, isSecret }: FunctionCall): Promise<Results> {
  return readMany((one) => readShared(connection, one, hasWaited), args, isSecret);
}

/** Mocks may return nothing. */
function withAllSecrets(result: Results): GetAgentLogConfigsResult {
  return { ...result, configs: result.configs?.map(withSecrets) };
}

type FunctionName = (typeof FUNCTIONS)[keyof typeof FUNCTIONS];

/** A call of a function, once all that it needs is known. */
interface FunctionCall {
  readonly connection: ConnectionSettings;
  /** Not checked yet. */
  readonly args: object;
  /** It has waited for a resource. */
  readonly hasWaited: boolean;
  /** The arguments may have secrets. */
  readonly isSecret: boolean;
}

async function plainCall(name: FunctionName, args: object, opts: pulumi.InvokeOptions): Promise<FunctionCall> {
  const { settings } = requireConnection(name, opts);
  const connection = pulumi.Output.isInstance(settings) ? await plainValueOf(settings) : settings;
  if (connection !== undefined) return { connection, args, hasWaited: false, isSecret: false };
  throw invalidArgument(
    "The settings of the Provider are not known yet in this preview; call getAgentLogConfigOutput or getAgentLogConfigsOutput instead.",
  );
}

/** Returns a call as soon as its arguments, its connection and its dependencies are known. */
function eventualCall(name: FunctionName, args: object, opts: pulumi.InvokeOutputOptions): pulumi.Output<FunctionCall> {
  const { settings, waitsForResources } = requireConnection(name, opts);
  const waits = pulumi.all([waitsForResources, waitForDependencies(opts.dependsOn, args)]);
  const input = pulumi.output<object>(args);
  return pulumi
    .all([input, settings, waits, pulumi.isSecret(input)])
    .apply(([plainArgs, connection, waitResults, isSecret]) => {
      return { connection, args: plainArgs, hasWaited: waitResults.includes(true), isSecret };
    });
}

/**
 * Returns the connection of a function, or of a component as the `parent`.
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for a provider of another package, and for a missing one in a stack without default
 * providers
 */
function requireConnection(name: FunctionName, { provider, parent }: pulumi.InvokeOptions): ProviderConnection {
  const connection = connectionOf(provider ?? providerOf(parent), name);
  if (connection !== undefined) return connection;
  throw invalidArgument(
    "The provider belongs to another package; pass { provider: new Provider(...) } of pulumi-agent-log-config.",
  );
}
