import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import { isUnknown, seal, UNKNOWN, UNKNOWN_OUTPUT } from "../engine/engine-marks.ts";
import { PLUGIN_TYPE } from "../engine/resource-type.ts";
import { idOf } from "../model/agent-log-config-id.ts";
import { type FleetChild, fleetChildren } from "../record/fleet-children.ts";
import { asRecord, type Properties, UNREAD } from "../record/resource-record.ts";
import type { PluginRun } from "./plugin-run.ts";
import { markedNames, withoutMarks } from "./property-marks.ts";
import { publicSettings } from "./public-settings.ts";
import type { ResourceMonitor } from "./resource-monitor.ts";
import { childUrn } from "./resource-urn.ts";
import { propertiesOf } from "./structs.ts";

/**
 * Constructs AgentLogConfigs: registers a child for each agent of each project, which the engine then checks and records as any
 * AgentLogConfig.
 * @returns its output, which is not known as long as a key of it is not known
 */
export async function constructFleet(request: ConstructRequest, monitor: ResourceMonitor, run: PluginRun) {
  const [name, urn] = [request.getName(), await monitor.registerComponent()];
  const inputs = Object.entries(propertiesOf(request.getInputs())).filter(([, value]) => value !== null);
  const { projects, agents, ...rules } = Object.fromEntries(inputs);
  const lists = withoutMarks({ projects, agents });
  const isSecret = markedNames({ projects, agents }).length > 0;

  const isKnown = !Object.values(lists).flat().some(isUnknown);
  const areListsKnown = !Object.values(lists).some(isUnknown);
  const children = areListsKnown ? fleetChildren(name, { ...rules, ...lists }, isSecret) : [];
  const fleet = { urn, rules, isSecret };
  const registrations = children.map((child) => registerChild(fleet, child, monitor, run));
  // If one child fails, an engine that goes on after failures still records the others.
  await Promise.allSettled(registrations);
  const settings = Object.fromEntries((await Promise.all(registrations)).filter(([, child]) => child !== undefined));

  const output = isSecret ? seal(settings) : settings;
  // An update has no marks of unknown values, so a child that it does not register is left out.
  const configs = isKnown || !monitor.isPreview ? output : UNKNOWN_OUTPUT;
  await monitor.registerOutputs(urn, { configs });
  return { urn, configs };
}

/** What the children of a fleet have in common. */
interface RegisteredFleet {
  readonly urn: string;
  readonly rules: Properties;
  /** The lists have marks of secrets, which the ids of the children and the output keep. Names of children and messages show ids. */
  readonly isSecret: boolean;
}

/**
 * Reads for a child and registers it.
 * @returns its key and the settings that it records; the settings are undefined if an update has not registered it
 */
async function registerChild(
  { urn, rules, isSecret }: RegisteredFleet,
  { key, childName, name, ...readArguments }: FleetChild,
  monitor: ResourceMonitor,
  run: PluginRun,
): Promise<[key: string, settings: Properties | undefined]> {
  const { projectId } = readArguments;
  // The engine checks one child after the other, so all of them are read before, at the same time.
  await run.readAhead(childUrn(urn, PLUGIN_TYPE, childName), readArguments);
  const inputs = { ...rules, ...readArguments, projectId: isSecret ? seal(projectId) : projectId };
  const outputs = await monitor.registerChild(urn, childName, inputs);
  const isKnown = outputs !== undefined && !isUnknown(projectId);
  if (!isKnown && !monitor.isPreview) return [key, undefined];
  const id = isUnknown(projectId) ? UNKNOWN : idOf(readArguments);
  const { settings } = outputs === undefined ? UNREAD : asRecord(withoutMarks(outputs));
  return [key, { name, ...publicSettings({ ...settings, ...readArguments, id }) }];
}
