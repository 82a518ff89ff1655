import { AGENTS, agentLogConfigId } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { describeIssues } from "../client/parse-argument.ts";
import { MAX_REQUESTS } from "../client/request-queue.ts";
import { readArgumentsSchema } from "../client/schemas.ts";
import { printable } from "../digest/printable.ts";
import type { Properties } from "../provider/resource-lifecycle.ts";
import { mapAtOnce } from "../shared/at-once.ts";
import { describeFailures, failure, MANY_NAMES, type NamedFailure } from "../shared/describe-failures.ts";
import { isUnknown, seal, UNKNOWN, UNKNOWN_OUTPUT } from "../shared/engine-marks.ts";
import { ChildNames, type FleetProject, fleetProjects } from "../shared/fleet-projects.ts";
import type { AskedRead } from "../shared/read-many-result.ts";
import { recordSettings } from "../shared/reading.ts";
import { malformedArguments } from "../shared/resource-arguments.ts";
import { PLUGIN_TYPE } from "../shared/resource-type.ts";
import { unmetExpectations } from "../shared/unmet-expectations.ts";
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
  /** The fleets of this run whose children are to be recorded before any child fails. */
  readonly recording: Set<Promise<unknown>>;
  readonly failures: Pick<HeldCalls, "during" | "waitFor" | "hold">;
}

/** How the engine is asked for the component and its children. */
export type FleetMonitor = Pick<ResourceMonitor, "registerComponent" | "registerChild" | "registerOutputs">;

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
 * checks and records as any AgentLogConfig. Children that are going to fail come last, because the engine ends its work at the
 * first one that does.
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
  const fail = (sentence: string) => host.failures.during(() => host.failures.hold(urn, failure(sentence)));
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
  const registered = await registerAll(members, register, withoutMarks(judged), host);
  if (malformed.length > 0) return fail(describeFailures(malformed, [], MANY_NAMES).join("\n"));

  const settings = await Promise.all(
    members.map(async (member) => {
      const outputs = await registered.get(member);
      const named = member.name === undefined ? {} : { name: member.name };
      return outputs && { ...named, ...publicSettings({ ...withoutMarks(outputs), ...member }) };
    }),
  ).catch((error: Error) => fail(error.message));
  if (!isWhole || settings.includes(undefined)) return { urn, configs: UNKNOWN_OUTPUT };
  const configs = isSecret ? seal(settings) : settings;
  await monitor.registerOutputs(urn, { configs });
  return { urn, configs };
}

/**
 * Reads for all members, and registers each when its read has come back, those that are going to fail after all others.
 * @returns what comes of each registration
 */
async function registerAll<Answer>(
  members: readonly Member[],
  register: (member: Member) => Promise<Answer>,
  judged: Properties,
  { read, readsAhead, failures, recording }: FleetHost,
): Promise<ReadonlyMap<Member, Promise<Answer>>> {
  const registered = new Map<Member, Promise<Answer>>();
  const last: Member[] = [];
  const readAll = mapAtOnce(members, MAX_REQUESTS, async (member) => {
    const ahead = read({ projectId: member.projectId, agent: member.agent });
    readsAhead.set(member.childUrn, { ...member, read: ahead });
    if (await isGoingToFail(ahead, judged)) return void last.push(member);
    const answer = register(member);
    registered.set(member, answer);
    failures.waitFor(member.childUrn, answer);
  });
  const recorded = failures.during(() => readAll).then(() => Promise.allSettled(registered.values()));
  recording.add(recorded);
  await recorded;
  recording.delete(recorded);
  // What is sent together arrives in any order, that of other fleets too.
  await Promise.all(recording);
  for (const member of last) registered.set(member, register(member));
  return registered;
}

/** Returns the members in the order of the lists, each once, and what is wrong with the others. */
function membersOf(fleet: string, urn: string, projects: readonly FleetProject[], kinds: readonly unknown[]) {
  const [members, malformed] = [new Map<string, Member>(), new Map<string, NamedFailure>()];
  const names = new ChildNames(fleet);
  for (const [name, given] of projects.filter(([, projectId]) => !isUnknown(projectId))) {
    for (const kind of kinds.filter((each) => !isUnknown(each))) {
      const { data, error } = readArgumentsSchema.safeParse({ projectId: given, agent: kind });
      if (data === undefined) {
        const named = printable(`${name ?? given}/${kind}`, 80);
        malformed.set(named, { ...failure(`Nothing was read: ${describeIssues(error.issues)}.`), name: named });
        continue;
      }
      const [projectId, agent] = [data.projectId.toLowerCase(), data.agent];
      const { childName, formerName } = names.of(name, projectId, agent);
      const [id, childUrn] = [agentLogConfigId(projectId, agent), urnOfChild(urn, childName)];
      members.set(childName, { id, name, projectId, agent, childName, formerName, childUrn });
    }
  }
  const isWhole = ![...projects.map(([, projectId]) => projectId), ...kinds].some(isUnknown);
  return { members: [...members.values()], malformed: [...malformed.values()], isWhole };
}

/** Only its check decides; this is about the order alone. */
async function isGoingToFail(
  read: Promise<AgentLogConfigResult>,
  { expect, whenUnexpected }: Properties,
): Promise<boolean> {
  const settings = await read.catch(() => undefined);
  if (settings === undefined) return true;
  return whenUnexpected !== "warn" && unmetExpectations(expect, recordSettings(settings), []).length > 0;
}

function urnOfChild(parent: string, name: string): string {
  const [stack, project, types] = parent.split("::");
  return [stack, project, `${types}$${PLUGIN_TYPE}`, name].join("::");
}
