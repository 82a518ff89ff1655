import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { SECRET_SETTINGS } from "../client/agent-log-settings.ts";
import type { Properties } from "../provider/resource-lifecycle.ts";
import { mapAtOnce } from "../shared/at-once.ts";
import { isUnknown, UNKNOWN } from "../shared/engine-marks.ts";
import { withoutUnknown } from "../shared/expected-settings.ts";
import { type Failure, failure } from "../shared/group-failures.ts";
import { type FleetMember, readFleet } from "../shared/read-fleet.ts";
import type { AskedRead } from "../shared/read-many.ts";
import { problemOf } from "../shared/reading.ts";
import { PLUGIN_TYPE } from "../shared/resource-type.ts";
import { publicSettings } from "./call-function.ts";
import { markedNames, seal, secretExpectations, withoutMarks } from "./property-marks.ts";
import type { ResourceMonitor } from "./resource-monitor.ts";

/** What a fleet has read for one of its children. */
export interface ReadAhead extends FleetMember {
  /** Tells the fleet why the child can't use its record in an outage. */
  refuse(why: Failure): void;
}

/** What a fleet needs of the plugin that constructs it. */
export interface FleetHost {
  read(asked: AskedRead): Promise<AgentLogConfigResult>;
  /** What was read for resources that the engine is going to ask for, by their URNs. */
  readonly readsAhead: Map<string, ReadAhead>;
  warn(urn: string, message: string): void;
  /** Reports no failures meanwhile. */
  during<Result>(read: () => Promise<Result>): Promise<Result>;
  /** Fails once the engine has nothing more to ask. */
  fail(urn: string, why: Failure): Promise<never>;
}

/** How the engine is asked for the component and its children. */
export type FleetMonitor = Pick<ResourceMonitor, "registerComponent" | "registerChild" | "registerOutputs">;

/** The registrations that are under way at once. The engine works on them one after the other, and keeps what waits. */
const MAX_REGISTRATIONS = 64;

/**
 * Constructs AgentLogConfigs: reads all settings at once, registers a child for each member that has a record, and then
 * reports the others.
 * @param name the name of the component
 * @param sent its arguments as the engine sent them
 */
export async function constructFleet(
  name: string,
  sent: Properties,
  monitor: FleetMonitor,
  host: FleetHost,
): Promise<{ readonly urn: string; readonly outputs: Properties }> {
  const args = withoutMarks(sent);
  const urn = await monitor.registerComponent();
  if (isUnknown(args["projectIds"]) || isUnknown(args["agents"])) return { urn, outputs: { configs: UNKNOWN } };
  const known = Object.entries(args).map(([argument, value]) => [argument, withoutUnknown(value ?? undefined)]);
  const secrets = [...SECRET_SETTINGS, ...secretExpectations(sent["expect"])];
  const { members, report } = await host
    .during(() => readFleet(host.read, Object.fromEntries(known), secrets))
    .catch((error: unknown) => host.fail(urn, failure(problemOf(error).message)));
  const isSecret = markedNames(sent).some((argument) => argument === "projectIds" || argument === "agents");
  const inputsOf = ({ projectId, agent }: FleetMember) => {
    const { whenUnavailable } = sent;
    return { projectId: isSecret ? seal(projectId) : projectId, agent, whenUnavailable };
  };
  const recordMember = async (member: FleetMember): Promise<Properties | undefined> => {
    const { id, projectId, agent, read, outage } = member;
    const childName = `${name}-${projectId}-${agent}`;
    const childUrn = urnOfChild(urn, childName);
    const { promise: refused, resolve: refuse } = Promise.withResolvers<Failure>();
    host.readsAhead.set(childUrn, { ...member, refuse });
    const registered = monitor.registerChild(urn, childName, inputsOf(member));
    registered.finally(() => host.readsAhead.delete(childUrn)).catch(() => {});
    // The engine ends its work at the child that fails first, before the others are told.
    const answer = await Promise.race([registered, refused]);
    if (isFailure(answer)) return void report.fail(id, answer);
    if (outage === undefined) return publicSettings(await read);
    const recorded = withoutMarks(answer);
    report.useRecord(id, recorded, recorded["lastReadAt"], outage.message);
    return publicSettings({ ...recorded, id, projectId, agent });
  };
  const configs = await mapAtOnce(members, MAX_REGISTRATIONS, recordMember);
  for (const warning of report.warnings) host.warn(urn, warning);
  if (report.failure !== undefined) return host.fail(urn, failure(report.failure));
  const isWhole = ![args["projectIds"], args["agents"]].flat().some(isUnknown);
  const outputs = { configs: !isWhole ? UNKNOWN : isSecret ? seal(configs) : configs };
  await monitor.registerOutputs(urn, outputs);
  return { urn, outputs };
}

function isFailure(answer: Properties | Failure): answer is Failure {
  return "sentence" in answer;
}

function urnOfChild(parent: string, name: string): string {
  const [stack, project, types] = parent.split("::");
  return [stack, project, `${types}$${PLUGIN_TYPE}`, name].join("::");
}
