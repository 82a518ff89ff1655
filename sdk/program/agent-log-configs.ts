import * as pulumi from "@pulumi/pulumi";
import { FLEET_TYPE, PLUGIN_TYPE } from "../engine/frozen-texts.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import { type AgentKind, idOf } from "../model/read-arguments.ts";
import { fleetChildren } from "../record/fleet-children.ts";
import { AgentLogConfig, type AgentLogConfigArgs, recordedTexts } from "./agent-log-config.ts";
import { hasEventual, isEventual } from "./is-eventual.ts";
import { markedValueOf } from "./private-sdk.ts";
import { hideStack } from "./program-failures.ts";

/** The arguments of {@link AgentLogConfigs}. */
export interface AgentLogConfigsArgs extends Pick<AgentLogConfigArgs, "expect" | "whenUnexpected" | "whenUnavailable"> {
  /**
   * A map from names of your own to the ids of the projects, 24 hexadecimal digits each. A name becomes a part of the names of the
   * records. It begins with a letter or a digit, and has at most 80 printable characters. Two names of one project have a record
   * each.
   */
  readonly projects: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>>;
  /** The agents of each project. Default: `"monitoring"` and `"backup"`. */
  readonly agents?: pulumi.Input<readonly pulumi.Input<AgentKind>[]> | undefined;
}

/** The settings of one agent of one project as they are recorded, without those that are secrets. */
export interface FleetSettings extends Omit<AgentLogConfigResult, "configOverrides" | "serviceVersion"> {
  /** The name that the program gives the project. */
  readonly name: string;
}

/**
 * The log settings of many projects as one resource: an {@link AgentLogConfig} for each agent of each project. All of these read
 * at the same time.
 *
 * These children have the name `<name>-<project>-<agent>`, where `<project>` is the name of the project in `projects`. They behave
 * as every AgentLogConfig, and have the `ignoreChanges` of their fleet.
 *
 * @example
 * ```ts
 * import { AgentLogConfigs } from "pulumi-agent-log-config";
 *
 * const fleet = new AgentLogConfigs("fleet", {
 *   projects: { orders: "0123456789abcdef01234567", billing: "89abcdef0123456789abcdef" },
 *   agents: ["monitoring"],
 *   expect: { logRotate: { sizeThresholdMB: { atMost: 1000 } } },
 *   whenUnavailable: "useRecorded",
 * });
 * export const ordersLog = fleet.configs["orders/monitoring"]?.logPath;
 * ```
 */
export class AgentLogConfigs extends pulumi.ComponentResource {
  /**
   * The recorded settings of each agent of each project. The keys are `<project>/<agent>`, where `<project>` is the name that the
   * program gives the project.
   */
  readonly configs: pulumi.Output<Readonly<Record<string, FleetSettings>>>;

  /**
   * Reads the settings and records them.
   * @param name the component's name, with which the names of its children begin
   * @param args the projects and agents whose settings to read, and what to expect of the settings
   * @param opts the resource options; `provider` for an explicit {@link Provider}
   * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for an unknown argument or agent, if `projects` is not a map, and if
   * `agents` is not a list
   */
  constructor(name: string, args: AgentLogConfigsArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const { ignoreChanges = [], ...others } = opts;
    super(FLEET_TYPE, name, {}, others);
    const { projects, agents, ...rules } = args;
    // A misspelt argument is refused at once, even if the projects are not known yet.
    fleetChildren(name, { ...rules, projects: {} }, true);
    // A fleet of the plugin has the same children under another type.
    const options = { parent: this, aliases: [{ type: PLUGIN_TYPE }], dependsOn: opts.dependsOn ?? [], ignoreChanges };
    const lists = { projects, agents: hasEventual(agents) ? pulumi.output(agents) : agents };
    const lateLists = Object.fromEntries(Object.entries(lists).filter(([, list]) => isEventual(list)));
    const fleet = { name, rules, options, lists };
    // Resources that depend on the component find only the children that exist now.
    this.configs =
      Object.keys(lateLists).length === 0 ? makeChildren(fleet) : makeChildrenLater(fleet, pulumi.output(lateLists));
    this.registerOutputs({ configs: this.configs });
  }
}

/** A fleet, with what its children have in common. */
interface Fleet {
  readonly name: string;
  readonly rules: Pick<AgentLogConfigsArgs, "expect" | "whenUnexpected" | "whenUnavailable">;
  readonly options: pulumi.CustomResourceOptions;
  /** The projects and the agents. */
  readonly lists: object;
  /** The lists that came late. Ids take their secrecy and dependencies from this Output. */
  readonly lateLists?: pulumi.Output<object>;
}

function makeChildrenLater(fleet: Fleet, lateLists: pulumi.Output<object>): AgentLogConfigs["configs"] {
  return lateLists.apply((knownLists) => {
    try {
      return makeChildren({ ...fleet, lists: { ...fleet.lists, ...knownLists }, lateLists });
    } catch (error) {
      throw hideStack(error);
    }
  });
}

function makeChildren({ name: fleet, rules, options, lists, lateLists }: Fleet): AgentLogConfigs["configs"] {
  const children = fleetChildren(fleet, { ...rules, ...lists }, lateLists !== undefined);
  const configs = children.map(({ key, childName, name, projectId: id, agent }) => {
    const isLate = isEventual(id) || lateLists !== undefined;
    const projectId = isLate ? pulumi.all([id, lateLists]).apply(([plainId]) => String(plainId)) : String(id);
    const child = new AgentLogConfig(childName, { ...rules, projectId, agent }, options);
    return [key, fleetSettingsOf(child, name)] as const;
  });
  return pulumi.output(Object.fromEntries(configs));
}

/** Makes one Output of those of a child. `pulumi.all` would make two more of each, which is most of the work of a large fleet. */
function fleetSettingsOf(child: AgentLogConfig, name: string): pulumi.Output<FleetSettings> {
  const members = { projectId: child.projectId, agent: child.agent, logRotate: child.logRotate };
  const outputs = Object.entries<pulumi.Output<unknown>>({ ...members, ...recordedTexts.get(child) });
  return child.urn.apply(async (): Promise<FleetSettings> => {
    const values = outputs.map(async ([key, output]) => [key, (await markedValueOf(output)) || undefined]);
    const { projectId, agent, ...settings } = Object.fromEntries(await Promise.all(values));
    // In the preview of a new child its own id is unknown.
    const id = [projectId, agent].find(pulumi.isUnknown) ?? idOf({ projectId, agent });
    const secrets = await Promise.all(outputs.map(([, output]) => pulumi.isSecret(output)));
    const all = { id, name, projectId, agent, ...settings };
    const result = secrets.includes(true) ? pulumi.secret(all) : all;
    return result;
  });
}
