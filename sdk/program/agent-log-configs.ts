import * as pulumi from "@pulumi/pulumi";
import { AGENTS, type AgentKind, agentLogConfigId, PROJECT_ID } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { SECRET_SETTINGS, SETTING_NAMES, type SecretSetting } from "../client/agent-log-settings.ts";
import type { ConnectionSettings } from "../shared/connection-settings.ts";
import { failure } from "../shared/group-failures.ts";
import type { FleetMember, FleetReport } from "../shared/read-fleet.ts";
import type { AskedRead } from "../shared/read-many.ts";
import { problemOf } from "../shared/reading.ts";
import { recordSettings } from "../shared/recorded-settings.ts";
import { FLEET_TYPE, PLUGIN_TYPE } from "../shared/resource-type.ts";
import { AgentLogConfig } from "./agent-log-config.ts";
import type { AgentLogConfigArgs } from "./agent-log-config-args.ts";
import { connectionFor, printedAsIs } from "./function-call.ts";
import { plainValueOf, runsWithMocks } from "./private-sdk.ts";
import { programState } from "./program-state.ts";
import { isPlain, isSecret, known, type ReadAhead, useReadAhead } from "./read-for-resource.ts";
import { readOnce, refuseMocks } from "./read-once.ts";
import { waitForDependencies, waitForRegistration } from "./wait-for-resources.ts";

/** The arguments of {@link AgentLogConfigs}. */
export interface AgentLogConfigsArgs extends Pick<AgentLogConfigArgs, "expect" | "whenUnexpected" | "whenUnavailable"> {
  /** The ids of the projects, 24 hexadecimal digits each. An id that is given twice, or in another case, counts once. */
  readonly projectIds: pulumi.Input<readonly pulumi.Input<string>[]>;
  /** The agents of each project. Default: `"monitoring"` and `"backup"`. */
  readonly agents?: pulumi.Input<readonly pulumi.Input<AgentKind>[]> | undefined;
}

/** The settings of one agent of one project as they are recorded, without those that are secrets. */
export type FleetSettings = Omit<AgentLogConfigResult, SecretSetting | "serviceVersion">;

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
    const ready = pulumi.all([lists, settings, waits]);
    const request = { fleet: this, name, args };
    const recorded = ready.apply(([known, connection, waited]) =>
      record(request, connection, known, (asked) => readOnce(connection, asked, waited.includes(true))),
    );
    const waiting = opts?.dependsOn === undefined ? {} : { dependsOn: opts.dependsOn };
    const unread = pulumi.runtime.isDryRun() ? makeUnread(request, ready, waiting) : Promise.resolve();
    this.configs = pulumi.output(unread.then(() => recorded));
    this.registerOutputs({ configs: this.configs });
  }
}

interface Fleet {
  readonly fleet: AgentLogConfigs;
  readonly name: string;
  readonly args: AgentLogConfigsArgs;
}

type DependencyOptions = Pick<pulumi.CustomResourceOptions, "dependsOn">;

/** Reads the settings, makes a child of each member that has a record, waits for all of them, and then reports. */
async function record(
  request: Fleet,
  connection: ConnectionSettings,
  lists: object,
  read: (asked: AskedRead) => Promise<AgentLogConfigResult>,
): Promise<FleetSettings[]> {
  const { fleet, name, args } = request;
  const held = programState()?.failures;
  const hold = (message: string) => (runsWithMocks() ? undefined : held?.hold(fleet, name, [failure(message)]));
  let others: ReturnType<typeof hold>;
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
    const sources = [args.projectIds, args.agents];
    // A child is a secret where the lists are one, and depends on what they depend on.
    const given = isPlain(sources) ? undefined : pulumi.output(sources).apply(() => "");
    const children = members.map((member) => {
      const { id, agent } = member;
      const projectId = given?.apply(() => member.projectId) ?? member.projectId;
      return { member, child: makeChild(request, id, { projectId, agent }, {}, { connection, member }) };
    });
    made.resolve("");
    // A child that has no record to use in an outage fails itself, and tells what else fails.
    if (report.failure !== undefined) others = hold(report.failure);
    const configs = await Promise.all(children.map(({ member, child }) => settingsOf(member, child, report)));
    for (const warning of report.warnings) await pulumi.log.warn(warning, fleet);
    if (report.failure !== undefined) throw new Error(report.failure);
    return configs;
  } catch (error) {
    made.resolve("");
    const { message } = problemOf(error);
    const told = [`AgentLogConfigs '${name}': ${message}`, ...((await (others ?? hold(message))) ?? [])];
    throw printedAsIs(new pulumi.RunError(told.join("\n")));
  }
}

/**
 * Makes the children that are known of a fleet that can't be read yet in a preview, since they would seem to be deleted
 * otherwise. Each of them reads as soon as it can.
 */
async function makeUnread(request: Fleet, ready: pulumi.Output<unknown>, waits: DependencyOptions): Promise<void> {
  if (await plainValueOf(ready.apply(() => true)).catch(() => true)) return;
  const { projectIds, agents = AGENTS } = request.args;
  const [ids, kinds] = await Promise.all([projectIds, agents].map(known));
  const sources = new Map<string, unknown>();
  const isList = Array.isArray(projectIds);
  for (const element of isList ? projectIds : Array.isArray(ids) ? ids : []) {
    const id = await known(element);
    if (typeof id === "string" && PROJECT_ID.test(id)) sources.set(id.toLowerCase(), isList ? element : projectIds);
  }
  const asked = AGENTS.filter((agent) => Array.isArray(kinds) && kinds.includes(agent));
  for (const [id, source] of sources) {
    const projectId = isPlain(source) ? id : pulumi.all([source]).apply(() => id);
    for (const agent of asked) makeChild(request, agentLogConfigId(id, agent), { projectId, agent }, waits);
  }
}

function makeChild(
  { fleet, name, args }: Fleet,
  id: string,
  read: Pick<AgentLogConfigArgs, "projectId" | "agent">,
  waits: DependencyOptions,
  ahead?: ReadAhead,
): AgentLogConfig {
  const recorded = { ...read, whenUnavailable: args.whenUnavailable };
  // A fleet of another language has the same children under another type.
  const opts = { ...waits, parent: fleet, aliases: [{ type: PLUGIN_TYPE }] };
  if (ahead !== undefined) useReadAhead(recorded, ahead);
  return new AgentLogConfig(`${name}-${id.replace("/", "-")}`, recorded, opts);
}

/** Returns the settings of a member once its record is made, or kept. */
async function settingsOf(
  { id, projectId, agent, read, outage }: FleetMember,
  child: AgentLogConfig,
  report: FleetReport,
): Promise<FleetSettings> {
  await plainValueOf(child.urn);
  if (outage === undefined) return fleetSettings(await read);
  const recorded = SETTING_NAMES.map(async (name) => [name, await plainValueOf(Reflect.get(child, name))]);
  const settings = Object.fromEntries(await Promise.all(recorded));
  report.useRecord(id, recordSettings(settings), await plainValueOf(child.lastReadAt), outage.message);
  return fleetSettings({ id, projectId, agent, ...settings });
}

/** The version of the service is not recorded: in an outage, and after an upgrade, it would change all that use the output. */
function fleetSettings(result: FleetSettings): FleetSettings;
function fleetSettings(result: object): object {
  const left = [...SECRET_SETTINGS, "serviceVersion"];
  return Object.fromEntries(Object.entries(result).filter(([name]) => !left.includes(name)));
}
