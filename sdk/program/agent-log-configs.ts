import * as pulumi from "@pulumi/pulumi";
import type { AgentKind } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { SECRET_SETTINGS, SETTING_NAMES, type SecretSetting } from "../client/agent-log-settings.ts";
import type { ConnectionSettings } from "../shared/connection-settings.ts";
import type { FleetMember, FleetReport } from "../shared/read-fleet.ts";
import type { AskedRead } from "../shared/read-many.ts";
import { problemOf } from "../shared/reading.ts";
import { recordSettings } from "../shared/recorded-settings.ts";
import { FLEET_TYPE, PLUGIN_TYPE } from "../shared/resource-type.ts";
import { AgentLogConfig } from "./agent-log-config.ts";
import type { AgentLogConfigArgs } from "./agent-log-config-args.ts";
import { connectionFor } from "./function-call.ts";
import { plainValueOf, runsWithMocks } from "./private-sdk.ts";
import { programState } from "./program-state.ts";
import { isPlain, isSecret, known, useReadAhead } from "./read-for-resource.ts";
import { readOnce, refuseMocks } from "./read-once.ts";
import { waitForDependencies, waitForRegistration } from "./wait-for-resources.ts";

/** The arguments of {@link AgentLogConfigs}. */
export interface AgentLogConfigsArgs extends Pick<AgentLogConfigArgs, "expect" | "whenUnexpected" | "whenUnavailable"> {
  /** The ids of the projects, 24 hexadecimal digits each. An id that is given twice, or in another case, counts once. */
  readonly projectIds: pulumi.Input<readonly pulumi.Input<string>[]>;
  /** The agents of each project. Default: `"monitoring"` and `"backup"`. */
  readonly agents?: pulumi.Input<readonly pulumi.Input<AgentKind>[]> | undefined;
}

/** The settings of one agent of one project, without those that are secrets. */
export type FleetSettings = Omit<AgentLogConfigResult, SecretSetting>;

/**
 * The log settings of many projects as one resource: one record and one difference for each agent of each project, and all
 * of them read at once. A project that can't be read fails the component, after the others are compared and recorded.
 *
 * Its children are {@link AgentLogConfig}s with the name `<name>-<projectId>-<agent>`, the id in lower case.
 *
 * @example
 * ```ts
 * import { AgentLogConfigs } from "pulumi-agent-log-config";
 *
 * const fleet = new AgentLogConfigs("fleet", {
 *   projectIds: ["0123456789abcdef01234567", "89abcdef0123456789abcdef"],
 *   agents: ["monitoring"],
 *   expect: { logRotate: { sizeThresholdMB: { atMost: 1000 } } },
 *   whenUnavailable: "useRecorded",
 * });
 * export const logPaths = fleet.configs.apply((configs) => configs.map(({ logPath }) => logPath));
 * ```
 */
export class AgentLogConfigs extends pulumi.ComponentResource {
  /** The settings of each agent of each project, in the order of the lists. */
  readonly configs: pulumi.Output<readonly FleetSettings[]>;

  /**
   * Reads the settings and records them.
   * @param name the component's name, with which the names of its children begin
   * @param args what to read, and what to expect of it
   * @param opts the resource options; `provider` for an explicit {@link Provider}
   */
  constructor(name: string, args: AgentLogConfigsArgs, opts?: pulumi.ComponentResourceOptions) {
    super(FLEET_TYPE, name, {}, opts);
    refuseMocks();
    const lists = { projectIds: args.projectIds, agents: args.agents };
    const { settings, hasWaited } = connectionFor({ parent: this });
    const dependencies = waitForDependencies(opts?.dependsOn, lists, this);
    const waits = pulumi.all([hasWaited, dependencies, waitForRegistration({ parent: this }) ?? false]);
    this.configs = pulumi.all([lists, settings, waits]).apply(([known, connection, waited]) => {
      const read = (asked: AskedRead) => readOnce(connection, asked, waited.includes(true));
      return record({ fleet: this, name, args, connection }, known, read);
    });
    this.registerOutputs({ configs: this.configs });
  }
}

interface FleetRequest {
  readonly fleet: AgentLogConfigs;
  readonly name: string;
  readonly args: AgentLogConfigsArgs;
  readonly connection: ConnectionSettings;
}

/** Reads the settings, makes a child of each member that has a record, waits for all of them, and then reports. */
async function record(
  request: FleetRequest,
  lists: object,
  read: (asked: AskedRead) => Promise<AgentLogConfigResult>,
): Promise<FleetSettings[]> {
  const { fleet, args } = request;
  const held = programState()?.failures;
  const made = Promise.withResolvers<string>();
  // The failures of other resources wait until the children are made.
  held?.watch({ urn: pulumi.output(made.promise) }, "dependent");
  try {
    const [expect, whenUnexpected, whenUnavailable] = await Promise.all(
      [args.expect, args.whenUnexpected, args.whenUnavailable].map(known),
    );
    const secrets = (await isSecret(args.expect)) ? SETTING_NAMES : SECRET_SETTINGS;
    const { readFleet } = await import("../shared/read-fleet.ts");
    const { members, report } = await readFleet(read, { ...lists, expect, whenUnexpected, whenUnavailable }, secrets);
    const children = members.map((member) => ({ member, child: makeChild(request, member) }));
    made.resolve("");
    const configs = await Promise.all(children.map(({ member, child }) => settingsOf(member, child, report)));
    for (const warning of report.warnings) await pulumi.log.warn(warning, fleet);
    if (report.failure === undefined) return configs;
    throw new pulumi.RunError(`AgentLogConfigs '${request.name}': ${report.failure}`);
  } catch (error) {
    made.resolve("");
    const { message } = problemOf(error);
    const others = runsWithMocks() ? [] : await held?.hold(fleet, request.name, [message]);
    throw new pulumi.RunError([message, ...(others ?? [])].join("\n"));
  }
}

function makeChild({ fleet, name, args, connection }: FleetRequest, member: FleetMember): AgentLogConfig {
  const { projectId, agent } = member;
  const lists = { projectIds: args.projectIds, agents: args.agents };
  const recorded: AgentLogConfigArgs = {
    // It is a secret where the list is one, and depends on what the list depends on.
    projectId: isPlain(lists) ? projectId : pulumi.output(lists).apply(() => projectId),
    agent,
    whenUnavailable: args.whenUnavailable,
  };
  // A fleet of another language has the same children under another type.
  const opts = { parent: fleet, aliases: [{ type: PLUGIN_TYPE }] };
  return new AgentLogConfig(`${name}-${projectId}-${agent}`, useReadAhead(recorded, { connection, member }), opts);
}

/** Returns the settings of a member once its record is made, or kept. */
async function settingsOf(
  { id, projectId, agent, read, outage }: FleetMember,
  child: AgentLogConfig,
  report: FleetReport,
): Promise<FleetSettings> {
  await plainValueOf(child.urn);
  if (outage === undefined) return withoutSecrets(await read);
  const recorded = SETTING_NAMES.map(async (name) => [name, await plainValueOf(Reflect.get(child, name))]);
  const settings = Object.fromEntries(await Promise.all(recorded));
  report.useRecord(id, recordSettings(settings), await plainValueOf(child.lastReadAt), outage.message);
  return withoutSecrets({ id, projectId, agent, ...settings, serviceVersion: undefined });
}

function withoutSecrets(result: AgentLogConfigResult): FleetSettings;
function withoutSecrets(result: object): object {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !SECRET_SETTINGS.includes(name)));
}
