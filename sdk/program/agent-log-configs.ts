import * as pulumi from "@pulumi/pulumi";
import { AGENTS, type AgentKind, idOf } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import type { SecretSetting } from "../client/agent-log-settings.ts";
import { invalidArgument } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { printable } from "../digest/printable.ts";
import { ChildNames, type FleetProject, fleetProjects } from "../shared/fleet-projects.ts";
import { FLEET_TYPE, PLUGIN_TYPE } from "../shared/resource-type.ts";
import { AgentLogConfig } from "./agent-log-config.ts";
import type { AgentLogConfigArgs } from "./agent-log-config-args.ts";
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
   * The ids of the projects by names of your own, in the place of the list of ids. A name becomes a part of the names of the
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
   * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for an unknown argument, for a list or a map that is none,
   * and where not exactly one of `projectIds` and `projects` is given
   */
  constructor(name: string, args: AgentLogConfigsArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super(FLEET_TYPE, name, {}, opts);
    const { projectIds, projects, agents = AGENTS, expect, whenUnexpected, whenUnavailable, ...unknown } = args;
    const [mistake] = Object.keys(unknown);
    if (mistake !== undefined) throw mistaken(name, `${printable(mistake, 80)} is no argument of it`);
    if (isPlain(agents) && !Array.isArray(agents)) throw mistaken(name, "agents must be a list");
    const waits = opts.dependsOn === undefined ? {} : { dependsOn: opts.dependsOn };
    const members = new Members(this, name, { expect, whenUnexpected, whenUnavailable }, waits);
    const given = [projectIds, projects];
    const isLate = given.some((each) => pulumi.Output.isInstance(each) || each instanceof Promise);
    const projectsOf = ([ids, map]: readonly unknown[]) => {
      const found = fleetProjects(ids, map);
      if (typeof found === "string") throw mistaken(name, found);
      return found;
    };
    const found = isLate ? pulumi.all(given).apply(projectsOf) : projectsOf(given);
    const made = whenKnown(agents, (kinds) => {
      const membersOf = ([project, element]: FleetProject) =>
        whenKnown(element, (projectId) =>
          listOf(kinds).map((agent) => members.make(project, projectId, agent, [isLate ? given : element, agents])),
        );
      return pulumi.Output.isInstance(found) ? found.apply((known) => known.map(membersOf)) : found.map(membersOf);
    });
    this.configs = eventual(made).apply((nested) => {
      const inOrder = new Map(
        [nested]
          .flat(3)
          .filter(isMember)
          .map((member) => [member.child, member]),
      );
      return pulumi.all(Array.from(inOrder.values(), settingsOf));
    });
    this.registerOutputs({ configs: this.configs });
  }
}

/** A child, and the name of its project if it has one. */
interface Member {
  readonly child: AgentLogConfig;
  readonly project: string | undefined;
}

function isMember(value: unknown): value is Member {
  return isObject(value) && AgentLogConfig.isInstance(value["child"]);
}

/** By what the children are judged. */
type Rules = Pick<AgentLogConfigsArgs, "expect" | "whenUnexpected" | "whenUnavailable">;

/** Makes the children of a fleet, each once. */
class Members {
  readonly #made = new Map<string, Member>();
  readonly #fleet: pulumi.Resource;
  readonly #names: ChildNames;
  readonly #judged: Rules;
  readonly #waits: pulumi.CustomResourceOptions;

  constructor(fleet: pulumi.Resource, name: string, judged: Rules, waits: pulumi.CustomResourceOptions) {
    this.#fleet = fleet;
    this.#names = new ChildNames(name);
    this.#judged = judged;
    this.#waits = waits;
  }

  /** @param sources what the project and the agent come from: a child is a secret if they are, and depends on what they depend on */
  make(project: string | undefined, given: unknown, agent: AgentKind, sources: unknown): Member {
    const projectId = String(given).toLowerCase();
    const { childName, formerName } = this.#names.of(project, projectId, agent);
    const known = this.#made.get(childName);
    if (known !== undefined) return known;
    const former = formerName === undefined ? [] : [{ name: formerName }];
    // A fleet of another language has the same children under another type.
    const aliases = [{ type: PLUGIN_TYPE }, ...former.flatMap((alias) => [alias, { ...alias, type: PLUGIN_TYPE }])];
    const from = <Value>(value: Value) => (isPlain(sources) ? value : eventual(sources).apply((): Value => value));
    const args = { projectId: from(projectId), agent: from(agent), ...this.#judged };
    const child = new AgentLogConfig(childName, args, { parent: this.#fleet, aliases, ...this.#waits });
    const member = { child, project };
    this.#made.set(childName, member);
    return member;
  }
}

/** What is known is used at once, so that the engine sees what belongs to the component. */
function whenKnown(input: unknown, use: (known: unknown) => unknown): unknown {
  return isPlain(input) ? use(input) : eventual(input).apply(use);
}

function eventual(input: unknown): pulumi.Output<unknown> {
  return pulumi.output(input);
}

/** What turns out late to be no list is the agent of a child, which then fails: a rejection would end the process. */
function listOf(known: unknown) {
  return Array.isArray(known) ? known : [known];
}

function mistaken(name: string, why: string) {
  return printedAsIs(invalidArgument(why, `AgentLogConfigs '${name}' can't be made`));
}

function settingsOf({ child, project: name }: Member): pulumi.Output<FleetSettings> {
  const { projectId, agent, logPath, logPathWindows, logRotate, username } = child;
  // In the preview of a new child its own id is unknown.
  const id = pulumi.all({ projectId, agent }).apply(idOf);
  const named = name === undefined ? {} : { name };
  return pulumi.output({ ...named, id, projectId, agent, logPath, logPathWindows, logRotate, username });
}
