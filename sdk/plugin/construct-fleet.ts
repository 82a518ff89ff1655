import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import { isUnknown, seal, UNKNOWN, UNKNOWN_OUTPUT } from "../engine/engine-marks.ts";
import { PLUGIN_TYPE } from "../engine/resource-type.ts";
import { type AgentKind, idOf } from "../model/agent-log-config-id.ts";
import { type Properties, UNKNOWN_SETTINGS } from "../record/complete-inputs.ts";
import { type ChildNames, childNames, type FleetMembers, fleetMembers, projectIdOf } from "../record/fleet-children.ts";
import { publicSettings } from "./call-function.ts";
import { markedNames, withoutMarks } from "./property-marks.ts";
import type { ResourceMonitor } from "./resource-monitor.ts";
import { childOf } from "./resource-urn.ts";
import type { Run } from "./run.ts";
import { propertiesOf } from "./structs.ts";

/**
 * Constructs AgentLogConfigs: registers a child for each agent of each project, which the engine then checks and records as any
 * AgentLogConfig.
 * @returns its output, which is not known as long as a key of it is not known
 */
export async function constructFleet(request: ConstructRequest, monitor: ResourceMonitor, run: Run) {
  const [name, urn] = [request.getName(), await monitor.registerComponent()];
  const given = Object.entries(propertiesOf(request.getInputs())).filter(([, value]) => value !== null);
  const { projectIds, projects, agents, ...rules } = Object.fromEntries(given);
  const lists = withoutMarks({ projectIds, projects, agents });
  const isSecret = markedNames({ projectIds, projects, agents }).length > 0;

  const isKnown = !Object.values(lists).flat().some(isUnknown);
  const areListsKnown = !Object.values(lists).some(isUnknown);
  const children = areListsKnown ? childrenOf(name, fleetMembers(name, { ...rules, ...lists }, isSecret)) : [];
  const recorded = children.map((child) => recordChild({ urn, rules, isSecret }, child, monitor, run));
  // An engine that goes on after a failure records the others.
  await Promise.allSettled(recorded);
  const settings = Object.fromEntries((await Promise.all(recorded)).filter(([, child]) => child !== undefined));

  const known = isSecret ? seal(settings) : settings;
  // An update has no marks of what is unknown: what it does not register is left out.
  const configs = isKnown || !monitor.isPreview ? known : UNKNOWN_OUTPUT;
  await monitor.registerOutputs(urn, { configs });
  return { urn, configs };
}

interface Child extends ChildNames {
  /** The user's name for the project, where it has one. */
  readonly project: string | undefined;
  readonly projectId: unknown;
  readonly agent: AgentKind;
}

/** Returns the children, each once, except those that are called by an id that is not known yet. */
function childrenOf(fleet: string, { projects, agents }: FleetMembers): Child[] {
  const children = projects.flatMap(([project, given]) => {
    const projectId = projectIdOf(given);
    const called = project ?? String(projectId);
    return isUnknown(called)
      ? []
      : agents.map((agent) => ({ ...childNames(fleet, called, agent), project, projectId, agent }));
  });
  return [...new Map(children.map((child) => [child.key, child])).values()];
}

/** What the children of a fleet have in common. */
interface Fleet {
  readonly urn: string;
  readonly rules: Properties;
  /** The ids of the projects may be secrets. */
  readonly isSecret: boolean;
}

/**
 * Registers a child.
 * @returns its key and the settings that it records; undefined settings where an update has not registered it
 */
async function recordChild(
  { urn, rules, isSecret }: Fleet,
  { key, name, project, projectId, agent }: Child,
  monitor: ResourceMonitor,
  run: Run,
): Promise<[key: string, settings: Properties | undefined]> {
  const asked = { projectId, agent };
  // The engine checks one child after the other, so that they are read before.
  await run.readAhead(childOf(urn, PLUGIN_TYPE, name), asked);
  const inputs = { ...rules, ...asked, projectId: isSecret ? seal(projectId) : projectId };
  const outputs = await monitor.registerChild(urn, name, inputs);
  const isKnown = outputs !== undefined && !isUnknown(projectId);
  if (!isKnown && !monitor.isPreview) return [key, undefined];
  const id = isUnknown(projectId) ? UNKNOWN : idOf(asked);
  const named = project === undefined ? {} : { name: project };
  return [key, { ...named, ...publicSettings({ ...withoutMarks(outputs ?? UNKNOWN_SETTINGS), ...asked, id }) }];
}
