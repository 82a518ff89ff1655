import * as pulumi from "@pulumi/pulumi";
import { AGENTS, type AgentKind, agentLogConfigId } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import type { SecretSetting } from "../client/agent-log-settings.ts";
import { invalidArgument } from "../client/errors.ts";
import { printable } from "../digest/printable.ts";
import { FLEET_TYPE, PLUGIN_TYPE } from "../shared/resource-type.ts";
import { AgentLogConfig } from "./agent-log-config.ts";
import type { AgentLogConfigArgs } from "./agent-log-config-args.ts";
import { printedAsIs } from "./function-call.ts";
import { isPlain } from "./read-for-resource.ts";
import { refuseMocks } from "./read-once.ts";

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
 * The log settings of many projects as one resource: an {@link AgentLogConfig} for each agent of each project, all of which
 * read at once.
 *
 * These children have the name `<name>-<projectId>-<agent>`, the id in lower case, and behave as every AgentLogConfig.
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
  /** The recorded settings of each agent of each project, in the order of the lists. */
  readonly configs: pulumi.Output<readonly FleetSettings[]>;

  /**
   * Reads the settings and records them.
   * @param name the component's name, with which the names of its children begin
   * @param args what to read, and what to expect of it
   * @param opts the resource options; `provider` for an explicit {@link Provider}
   * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for an unknown argument, and for a list that is none
   */
  constructor(name: string, args: AgentLogConfigsArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super(FLEET_TYPE, name, {}, opts);
    refuseMocks();
    const { projectIds, agents = AGENTS, expect, whenUnexpected, whenUnavailable, ...unknown } = args;
    const [mistake] = Object.keys(unknown);
    if (mistake !== undefined) throw mistaken(name, `${printable(mistake, 80)} is no argument of it`);
    for (const [argument, list] of Object.entries({ projectIds, agents })) {
      if (isPlain(list) && !Array.isArray(list)) throw mistaken(name, `${argument} must be a list`);
    }
    const waits = opts.dependsOn === undefined ? {} : { dependsOn: opts.dependsOn };
    // A fleet of another language has the same children under another type.
    const options = { parent: this, aliases: [{ type: PLUGIN_TYPE }], ...waits };
    const children = new Map<string, AgentLogConfig>();
    const childOf = (given: unknown, agent: AgentKind, sources: unknown): AgentLogConfig => {
      const projectId = String(given).toLowerCase();
      const id = agentLogConfigId(projectId, agent);
      // A child is a secret where the lists are one, and depends on what they depend on.
      const from = <Value>(value: Value) => (isPlain(sources) ? value : eventual(sources).apply((): Value => value));
      const child =
        children.get(id) ??
        new AgentLogConfig(
          `${name}-${printable(id.replace("/", "-"), 80)}`,
          { projectId: from(projectId), agent: from(agent), expect, whenUnexpected, whenUnavailable },
          options,
        );
      children.set(id, child);
      return child;
    };
    const made = whenKnown(agents, (kinds) => {
      const childrenOf = (source: unknown) => (projectId: unknown) =>
        listOf(kinds).map((agent) => childOf(projectId, agent, [source, agents]));
      return Array.isArray(projectIds)
        ? projectIds.map((element) => whenKnown(element, childrenOf(element)))
        : whenKnown(projectIds, (ids) => listOf(ids).map(childrenOf(projectIds)));
    });
    this.configs = eventual(made).apply((nested) => {
      const inOrder = new Set([nested].flat(3).filter(AgentLogConfig.isInstance));
      return pulumi.all([...inOrder].map(settingsOf));
    });
    this.registerOutputs({ configs: this.configs });
  }
}

/** What is known is used at once, so that the engine sees what belongs to the component. */
function whenKnown(input: unknown, use: (known: unknown) => unknown): unknown {
  return isPlain(input) ? use(input) : eventual(input).apply(use);
}

function eventual(input: unknown): pulumi.Output<unknown> {
  return pulumi.output(input);
}

/** What turns out late to be no list is the project or agent of a child, which then fails: a rejection would end the process. */
function listOf(known: unknown) {
  return Array.isArray(known) ? known : [known];
}

function mistaken(name: string, why: string) {
  return printedAsIs(invalidArgument(why, `AgentLogConfigs '${name}' can't be made`));
}

function settingsOf(child: AgentLogConfig): pulumi.Output<FleetSettings> {
  const { projectId, agent, logPath, logPathWindows, logRotate, username } = child;
  // In the preview of a new child its own id is unknown.
  const id = pulumi.all([projectId, agent]).apply(([project, kind]) => agentLogConfigId(project, kind));
  return pulumi.output({ id, projectId, agent, logPath, logPathWindows, logRotate, username });
}
