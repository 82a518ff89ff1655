import * as pulumi from "@pulumi/pulumi";
import { type AgentKind, idOf } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import type { SecretSetting } from "../client/agent-log-settings.ts";
import { FleetChildren } from "../shared/fleet-children.ts";
import { FLEET_TYPE, PLUGIN_TYPE } from "../shared/resource-type.ts";
import { AgentLogConfig, type AgentLogConfigArgs } from "./agent-log-config.ts";
import { printedAsIs } from "./function-call.ts";
import { isPlain } from "./read-for-resource.ts";

/** The arguments of {@link AgentLogConfigs}. */
export interface AgentLogConfigsArgs extends Pick<AgentLogConfigArgs, "expect" | "whenUnexpected" | "whenUnavailable"> {
  /**
   * The ids of the projects, 24 hexadecimal digits each. An id that is given twice, or in another case, counts once. Give either
   * this list or a map with names.
   */
  readonly projectIds?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
  /**
   * The ids of the projects by names of your own, instead of the list of ids. A name becomes a part of the names of the
   * records; it begins with a letter or a digit and has at most 80 printable characters. Two names of one project have a record
   * each.
   */
  readonly projects?: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>> | undefined;
  /** The agents of each project. Default: `"monitoring"` and `"backup"`. */
  readonly agents?: pulumi.Input<readonly pulumi.Input<AgentKind>[]> | undefined;
}

/** The settings of one agent of one project as they are recorded, without those that are secrets. */
export interface FleetSettings extends Omit<AgentLogConfigResult, SecretSetting | "serviceVersion"> {
  /** The name that the program gives the project; undefined where it gives a list of ids. */
  readonly name?: string | undefined;
}

/**
 * The log settings of many projects as one resource: an {@link AgentLogConfig} for each agent of each project, all of which
 * read at once.
 *
 * These children have the name `<name>-<project>-<agent>`, where the project is its name in `projects`, or its id in lower
 * case, and behave as every AgentLogConfig.
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
 * export const logPaths = fleet.configs.apply((configs) => configs.map(({ name, logPath }) => `${name}: ${logPath}`));
 * ```
 */
export class AgentLogConfigs extends pulumi.ComponentResource {
  /** The recorded settings of each agent of each project, in the order of the list of ids, or of the names. */
  readonly configs: pulumi.Output<readonly FleetSettings[]>;

  /**
   * Reads the settings and records them.
   * @param name the component's name, with which the names of its children begin
   * @param args what to read, and what to expect of it
   * @param opts the resource options; `provider` for an explicit {@link Provider}
   * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for an unknown argument or agent, for a list or a map that is none,
   * and where not exactly one of `projectIds` and `projects` is given
   */
  constructor(name: string, args: AgentLogConfigsArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super(FLEET_TYPE, name, {}, opts);
    const { projectIds, projects, agents, ...rules } = args;
    const children = new FleetChildren(name);
    // What is misspelt is refused at once, whatever is known of the projects.
    children.membersOf({ ...rules, projectIds: [] }, true);
    const dependency = opts.dependsOn === undefined ? {} : { dependsOn: opts.dependsOn };
    // A fleet of the plugin has the same children under another type.
    const options = { parent: this, aliases: [{ type: PLUGIN_TYPE }], ...dependency };

    const make = ([ids, map, kinds]: readonly unknown[], from: Origin, isSecret: boolean) => {
      const members = children.membersOf({ ...rules, projectIds: ids, projects: map, agents: kinds }, isSecret);
      const made = members.projects.map(([project, given]) =>
        whenNamed(project, given, (called, projectId) => {
          const makeChild = (agent: AgentKind) => {
            const childName = children.nameOf(called, agent);
            if (childName === undefined) return [];
            const childArgs = { ...rules, projectId: from(projectId), agent };
            return settingsOf(new AgentLogConfig(childName, childArgs, options), project);
          };
          return pulumi.all(members.agents.flatMap(makeChild));
        }),
      );
      return pulumi.all(made).apply((settings) => settings.flat());
    };
    const lists = [projectIds, projects, isPlain(agents) ? agents : pulumi.output(agents)];
    // What depends on the component finds the children that are made now. An id in a list may be known later all the same.
    this.configs = lists.some(isEventual) ? whenKnown(lists, make) : make(lists, (id) => id, false);
    this.registerOutputs({ configs: this.configs });
  }
}

/** Gives an id what it comes from: it is a secret if that is one, and depends on what that depends on. */
type Origin = (id: pulumi.Input<string>) => pulumi.Input<string>;

/** Makes the children once the lists are known. */
function whenKnown<Made>(
  lists: readonly unknown[],
  make: (known: readonly unknown[], from: Origin, isSecret: boolean) => pulumi.Output<Made>,
): pulumi.Output<Made> {
  const late = pulumi.all(lists.map((list) => (isEventual(list) ? list : undefined)));
  const from: Origin = (given) => pulumi.all([given, late]).apply(([id]) => id);
  return pulumi.all([late, pulumi.isSecret(late)]).apply(([found, isSecret]) => {
    const known = lists.map((list, index) => (isEventual(list) ? found[index] : list));
    try {
      return make(known, from, isSecret);
    } catch (error) {
      throw error instanceof Error ? printedAsIs(error) : error;
    }
  });
}

function isEventual(input: unknown): boolean {
  return pulumi.Output.isInstance(input) || input instanceof Promise;
}

/** Makes the children of a project, which is called by its name, and without one by its id as soon as that is known. */
function whenNamed<Made>(
  project: string | undefined,
  given: unknown,
  make: (called: string, projectId: pulumi.Input<string>) => pulumi.Output<Made>,
): pulumi.Output<Made> {
  const lowerCase = (id: unknown) => String(id).toLowerCase();
  if (!isEventual(given)) return make(project ?? lowerCase(given), lowerCase(given));
  const late: pulumi.Output<unknown> = pulumi.output(given);
  const projectId = late.apply(lowerCase);
  return project === undefined ? projectId.apply((id) => make(id, projectId)) : make(project, projectId);
}

function settingsOf(child: AgentLogConfig, project: string | undefined): pulumi.Output<FleetSettings> {
  const { projectId, agent, logPath, logPathWindows, logRotate, username } = child;
  // In the preview of a new child its own id is unknown.
  const id = pulumi.all({ projectId, agent }).apply(idOf);
  const named = project === undefined ? {} : { name: project };
  return pulumi.output({ ...named, id, projectId, agent, logPath, logPathWindows, logRotate, username });
}
