import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import { idOf } from "../client/agent-log-config-id.ts";
import { isUnknown, seal, UNKNOWN_OUTPUT } from "../shared/engine-marks.ts";
import { FleetChildren, type FleetMembers } from "../shared/fleet-children.ts";
import { problemOf } from "../shared/reading.ts";
import { PLUGIN_TYPE } from "../shared/resource-type.ts";
import { publicSettings } from "./call-function.ts";
import { markedNames, withoutMarks } from "./property-marks.ts";
import type { ResourceMonitor } from "./resource-monitor.ts";
import type { Run } from "./run.ts";
import { propertiesOf } from "./structs.ts";

/**
 * Constructs AgentLogConfigs: registers a child for each agent of each project, which the engine then checks and records as any
 * AgentLogConfig.
 * @returns its output, which is not known where a child is not known
 */
export async function constructFleet(request: ConstructRequest, monitor: ResourceMonitor, run: Run) {
  const urn = await monitor.registerComponent();
  const given = Object.entries(propertiesOf(request.getInputs())).filter(([, value]) => value !== null);
  const { projectIds, projects, agents, ...rules } = Object.fromEntries(given);
  const lists = withoutMarks({ projectIds, projects, agents });
  if (Object.values(lists).some(isUnknown)) return { urn, configs: UNKNOWN_OUTPUT };
  const isSecret = markedNames({ projectIds, projects, agents }).length > 0;
  const types = urn.slice(0, urn.lastIndexOf("::"));
  const names = new FleetChildren(request.getName());

  let children: ReturnType<typeof childrenOf>;
  try {
    children = childrenOf(names, names.membersOf({ ...rules, ...lists }, isSecret));
  } catch (error) {
    if (!monitor.isPreview) throw error;
    await run.failures.during(() => run.failures.hold(urn, [problemOf(error)]));
    return { urn, configs: UNKNOWN_OUTPUT };
  }
  const answers = children.map(async ({ childName, project, ...asked }) => {
    // The engine checks one child after the other, so that they are read before.
    const read = isUnknown(asked.projectId) ? undefined : run.failures.during(() => run.read(asked));
    const key = `${types}$${PLUGIN_TYPE}::${childName} ${idOf(asked)}`;
    if (read !== undefined) run.readsAhead.set(key, read);
    await read?.catch(() => {});
    const inputs = { ...rules, ...asked, projectId: isSecret ? seal(asked.projectId) : asked.projectId };
    try {
      const outputs = await monitor.registerChild(urn, childName, inputs);
      const named = project === undefined ? {} : { name: project };
      const found = { ...withoutMarks(outputs ?? {}), ...asked, id: idOf(asked) };
      // A new child that is no target of the update has no record.
      return outputs === undefined ? [] : [{ ...named, ...publicSettings(found) }];
    } finally {
      run.readsAhead.delete(key);
    }
  });
  // An engine that goes on after a failure records the others. A preview ends with the child, and says why.
  const outcomes = await Promise.allSettled(answers);
  if (monitor.isPreview && outcomes.some(({ status }) => status === "rejected"))
    return { urn, configs: UNKNOWN_OUTPUT };
  const settings = (await Promise.all(answers)).flat();
  if ([...children.map(({ projectId }) => projectId), ...Object.values(lists).flat()].some(isUnknown)) {
    return { urn, configs: UNKNOWN_OUTPUT };
  }
  const configs = isSecret ? seal(settings) : settings;
  await monitor.registerOutputs(urn, { configs });
  return { urn, configs };
}

/** Its child says what is wrong with an id. Without a name, a project is called by its id, and has no child before. */
function childrenOf(names: FleetChildren, { projects, agents }: FleetMembers) {
  return projects.flatMap(([project, given]) => {
    const projectId = typeof given === "string" ? given.toLowerCase() : given;
    const called = project ?? (isUnknown(given) ? undefined : String(projectId));
    return agents.flatMap((agent) => {
      const childName = called && names.nameOf(called, agent);
      if (childName === undefined) return [];
      return [{ project, projectId, agent, childName }];
    });
  });
}
