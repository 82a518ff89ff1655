import { AGENTS, agentLogConfigId } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { describeIssues } from "../client/parse-argument.ts";
import { MAX_REQUESTS } from "../client/request-queue.ts";
import { readArgumentsSchema } from "../client/schemas.ts";
import { printable } from "../digest/printable.ts";
import type { Properties } from "../provider/resource-lifecycle.ts";
import { mapAtOnce } from "../shared/at-once.ts";
import { isUnknown, seal, UNKNOWN, UNKNOWN_OUTPUT } from "../shared/engine-marks.ts";
import { FailureReport } from "../shared/failure-report.ts";
import { ChildNames, type FleetProject, fleetProjects } from "../shared/fleet-projects.ts";
import type { AskedRead } from "../shared/read-many-result.ts";
import { malformedArguments } from "../shared/resource-arguments.ts";
import { PLUGIN_TYPE } from "../shared/resource-type.ts";
import { publicSettings } from "./call-function.ts";
import type { HeldCalls } from "./held-calls.ts";
import { markedNames, withoutMarks } from "./property-marks.ts";
import type { ResourceMonitor } from "./resource-monitor.ts";

/** What a fleet has read for one of its children. */
export interface ReadAhead extends AskedRead {
  readonly read: Promise<AgentLogConfigResult>;
}

/** What a fleet needs of the plugin that constructs it. */
export interface FleetHost {
  read(asked: AskedRead): Promise<AgentLogConfigResult>;
  /** What was read for resources that the engine is going to ask for, by their URNs. */
  readonly readsAhead: Map<string, ReadAhead>;
  readonly failures: Pick<HeldCalls, "during" | "fail" | "hold">;
}

/** How the engine is asked for the component and its children. */
export type FleetMonitor = Pick<
  ResourceMonitor,
  "isPreview" | "registerComponent" | "registerChild" | "registerOutputs"
>;

/** One agent of one project of a fleet. */
interface Member extends AskedRead {
  readonly id: string;
  readonly name: string | undefined;
  /** The name that the child has without a name of the project, where it may have been recorded under it. */
  readonly formerName: string | undefined;
  readonly childName: string;
  readonly childUrn: string;
}

/**
 * Constructs AgentLogConfigs: reads all settings, and registers a child for each agent of each project, which the engine then
 * checks and records as any AgentLogConfig.
 * @param name the name of the component
 * @param sent its arguments as the engine sent them
 * @returns its output, which is not known where a child is not known
 */
export async function constructFleet(
  name: string,
  sent: Properties,
  monitor: FleetMonitor,
  host: FleetHost,
): Promise<{ readonly urn: string; readonly configs: unknown }> {
  const urn = await monitor.registerComponent();
  const given = Object.entries(sent).filter(([, value]) => value !== null);
  const { projectIds, projects, agents = AGENTS, ...judged } = Object.fromEntries(given);
  const lists = withoutMarks({ projectIds, projects, agents });
  if (Object.values(lists).some(isUnknown)) return { urn, configs: UNKNOWN_OUTPUT };
  const fail = async (...messages: readonly string[]) => {
    const failures = messages.map((message) => ({ message, cause: message }));
    if (!monitor.isPreview) return host.failures.fail(urn, failures);
    await host.failures.during(() => host.failures.hold(urn, failures));
    return { urn, configs: UNKNOWN_OUTPUT };
  };
  const [mistake] = malformedArguments({ ...withoutMarks(judged), projectId: UNKNOWN, agent: UNKNOWN });
  if (mistake !== undefined) return fail(mistake);

  const found = fleetProjects(lists["projectIds"], lists["projects"]);
  if (typeof found === "string") return fail(`Nothing was read: ${found}.`);

  const { members, malformed, isWhole } = membersOf(name, urn, found, [lists["agents"]].flat());
  const isSecret = markedNames({ projectIds, projects, agents }).length > 0;
  const register = (member: Member) => {
    const { projectId, agent, childName, formerName, childUrn } = member;
    const inputs = { ...judged, projectId: isSecret ? seal(projectId) : projectId, agent };
    const answer = monitor.registerChild(urn, childName, inputs, formerName);
    answer.finally(() => host.readsAhead.delete(childUrn)).catch(() => {});
    return answer;
  };
  const registered = await registerAll(members, register, host);
  const mistakes = malformed.tell().map(({ resource, message }) => `${resource}: ${message}`);
  if (mistakes.length > 0) return fail(...mistakes);

  // The engine may go on after a child that fails.
  await Promise.allSettled(registered.values());
  const settings = await Promise.all(
    members.map(async (member) => {
      const outputs = await registered.get(member);
      const named = member.name === undefined ? {} : { name: member.name };
      return outputs && { ...named, ...publicSettings({ ...withoutMarks(outputs), ...member }) };
    }),
  ).catch((error: Error) => error);
  // A preview ends with the child, and says why.
  if (settings instanceof Error) return monitor.isPreview ? { urn, configs: UNKNOWN_OUTPUT } : fail(settings.message);
  if (!isWhole || settings.includes(undefined)) return { urn, configs: UNKNOWN_OUTPUT };
  const configs = isSecret ? seal(settings) : settings;
  await monitor.registerOutputs(urn, { configs });
  return { urn, configs };
}

/**
 * Reads for all members, and registers each when its read has come back.
 * @returns what comes of each registration
 */
async function registerAll<Answer>(
  members: readonly Member[],
  register: (member: Member) => Promise<Answer>,
  { read, readsAhead, failures }: FleetHost,
): Promise<ReadonlyMap<Member, Promise<Answer>>> {
  const registered = new Map<Member, Promise<Answer>>();
  const readAll = mapAtOnce(members, MAX_REQUESTS, async (member) => {
    const ahead = read({ projectId: member.projectId, agent: member.agent });
    readsAhead.set(member.childUrn, { ...member, read: ahead });
    await ahead.catch(() => {});
    registered.set(member, register(member));
  });
  await failures.during(() => readAll);
  return registered;
}

/** Returns the members in the order of the lists, each once, and what is wrong with the others. */
function membersOf(fleet: string, urn: string, projects: readonly FleetProject[], kinds: readonly unknown[]) {
  const [members, malformed] = [new Map<string, Member>(), new FailureReport()];
  const names = new ChildNames(fleet);
  for (const [name, given] of projects.filter(([, projectId]) => !isUnknown(projectId))) {
    for (const kind of kinds.filter((each) => !isUnknown(each))) {
      const { data, error } = readArgumentsSchema.safeParse({ projectId: given, agent: kind });
      if (data === undefined) {
        const named = printable(`${name ?? given}/${kind}`, 80);
        const message = `Nothing was read: ${describeIssues(error.issues)}.`;
        malformed.note(named, [{ message, cause: message }]);
        continue;
      }
      const [projectId, agent] = [data.projectId.toLowerCase(), data.agent];
      const { childName, formerName } = names.of(name, projectId, agent);
      const [id, childUrn] = [agentLogConfigId(projectId, agent), urnOfChild(urn, childName)];
      members.set(childName, { id, name, projectId, agent, childName, formerName, childUrn });
    }
  }
  const isWhole = ![...projects.map(([, projectId]) => projectId), ...kinds].some(isUnknown);
  return { members: [...members.values()], malformed, isWhole };
}

function urnOfChild(parent: string, name: string): string {
  const [stack, project, types] = parent.split("::");
  return [stack, project, `${types}$${PLUGIN_TYPE}`, name].join("::");
}
