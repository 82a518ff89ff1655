import * as pulumi from "@pulumi/pulumi";
import type { Agent, AgentLogConfigResult } from "./client/agent-log-config.ts";
import { invalidArgument } from "./client/errors.ts";
import type { ReadArguments } from "./client/read-arguments.ts";
import { DoorError } from "./door-error.ts";
import { connectionOf, type ProviderConnection } from "./provider.ts";
import { readSettings } from "./read-settings.ts";
import { RESOURCE_TYPE } from "./resource-type.ts";
import { waitForDependencies } from "./wait-for-dependencies.ts";

/** What {@link getAgentLogConfig} reads. */
export type GetAgentLogConfigArgs = ReadArguments;

/** What {@link getAgentLogConfigOutput} reads. */
export interface GetAgentLogConfigOutputArgs {
  /** 24 hexadecimal digits (contract, section 2.2). */
  readonly projectId: pulumi.Input<string>;
  /** `"monitoring"` or `"backup"` (contract, section 4). */
  readonly agent: pulumi.Input<Agent>;
  /** Asks the service to wrap its answer (contract, section 4.4). The result is the same. Default: false. */
  readonly envelope?: pulumi.Input<boolean> | undefined;
  /** Asks the service to print its answer for people (contract, section 4.4). The result is the same. Default: false. */
  readonly pretty?: pulumi.Input<boolean> | undefined;
}

/** The log settings of one agent of one project; each is undefined where the service has none. */
export interface GetAgentLogConfigResult extends Omit<AgentLogConfigResult, "configOverrides"> {
  /** Settings that differ from the agent's own. They may hold credentials, so this one field is a secret. */
  readonly configOverrides: pulumi.Output<AgentLogConfigResult["configOverrides"]>;
}

/**
 * Reads the log settings of one agent of one project, in previews too. Within one program the same read is made once.
 *
 * @param args what to read, as plain values
 * @param opts `provider` or `parent` for an explicit {@link Provider}; its settings must be known
 * @throws {@link DoorError} with the `code` of what failed
 * @see the contract, sections 2.1, 4.1 and 4.2
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
  return withSecret(await orDoorError(async () => readSettings(await knownConnection(opts), args, PLAIN)));
}

/**
 * Reads the log settings of one agent of one project, in previews too, as soon as the arguments are known. As with every
 * Pulumi function: what comes of an unknown argument is unknown, what comes of a secret one is secret, and nothing is read
 * before the resources exist that `dependsOn` or an argument refers to. Within one program the same read is made once, except
 * where it has waited for a resource.
 *
 * @param args what to read; values or Outputs
 * @param opts `provider` or `parent` for an explicit {@link Provider}, `dependsOn` for what must exist first
 * @throws {@link DoorError} with the `code` of what failed, as the failure of the Output
 * @see the contract, sections 2.1, 4.1 and 4.2
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
  const known = pulumi.output(args);
  return pulumi
    .all([known, connection(opts), waitForDependencies(opts.dependsOn, args), pulumi.isSecret(known)])
    .apply(([plain, connected, hasWaited, secret]) =>
      orDoorError(() => readSettings(connected(), plain, { hasWaited, secret })),
    )
    .apply(withSecret);
}

/** Of arguments that are plain values. */
const PLAIN = { hasWaited: false, secret: false };

async function orDoorError<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof DoorError ? error : new DoorError(error);
  }
}

function withSecret({ configOverrides, ...rest }: AgentLogConfigResult): GetAgentLogConfigResult {
  return { ...rest, configOverrides: pulumi.secret(configOverrides) };
}

function connection({ provider, parent }: pulumi.InvokeOptions): pulumi.Output<() => ProviderConnection> {
  try {
    return connectionOf(provider ?? parent?.getProvider(RESOURCE_TYPE));
  } catch (error) {
    throw new DoorError(error);
  }
}

/** The connection as a plain value; an Output has none as long as it is unknown. */
async function knownConnection(opts: pulumi.InvokeOptions): Promise<ProviderConnection> {
  const output = connection(opts);
  const known: (() => ProviderConnection) | undefined =
    "promise" in output && typeof output.promise === "function" ? await output.promise() : undefined;
  if (known !== undefined) return known();
  throw invalidArgument(
    "The settings of the Provider are not known yet in this preview; use getAgentLogConfigOutput instead of getAgentLogConfig.",
  );
}
