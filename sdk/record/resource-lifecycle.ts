import { isDeepStrictEqual } from "node:util";
import { isUnknown } from "../engine/engine-marks.ts";
import { recordedSettingsOf, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { idOf, parseAgentLogConfigId } from "../model/read-arguments.ts";
import { errorFinding, type Finding, resourceFinding } from "./finding-report.ts";
import {
  areMembersKnown,
  type Completion,
  joinMembers,
  membersOf,
  recordedMembersOf,
  resourceIdOf,
  targetIdOf,
  unread,
} from "./fleet-record.ts";
import {
  type CompletedInputs,
  completeInputs,
  findOutcome,
  inputsOfProgram,
  judge,
  judgeFailure,
  type RecordHost,
} from "./read-outcome.ts";
import { readTargetOf } from "./read-target.ts";
import { argumentFindings, argumentsInState, isFleet, withDefaults } from "./resource-arguments.ts";
import { isRecordOf, movedArguments, NO_RECORD, type ResourceRecord, readTargetIn } from "./resource-record.ts";

// For each resource of a run, the engine asks for a check, then for the difference if there is a record, and then to create or
// update it if it differs; in a refresh it asks to read, and then for the difference alone.
//
// The engine ends its work at a check that fails, even if it is asked to go on after errors. So a check completes the inputs of a
// resource that fails, with the failures among them. Its difference is then an update, and to create or update the resource fails.

interface Difference {
  /** True for an update, false for none; undefined leaves the comparison to the engine. */
  readonly changes?: boolean;
  readonly replaces?: readonly string[];
}

/** What a refresh finds. Without inputs, the engine keeps the recorded ones, with the service that they were read from. */
interface RefreshResult extends Completion {
  /** undefined if the project does not exist any more. */
  readonly id: string | undefined;
  readonly outputs: ResourceRecord;
}

interface RefreshedMember extends Completion {
  /** The service has sent the settings, or has said that the project does not exist any more. */
  readonly isAnswered: boolean;
}

/**
 * Completes the inputs of a resource with its settings, and judges them. All members of a fleet are read at the same time.
 * @param olds the inputs in the state; empty if there are none, as for a replacement that is forced
 * @param secrets the settings that no message may quote, and the arguments that none may quote if they are invalid
 */
export async function checkInputs(
  host: RecordHost,
  olds: ResourceRecord,
  news: ResourceRecord,
  secrets: readonly string[],
): Promise<CompletedInputs> {
  const resource = { settings: olds.settings, ...inputsOfProgram(news) };
  const failures = argumentFindings(news.args, secrets);
  if (failures.length > 0) return failing(host, olds, { inputs: resource, failures, warnings: [] });
  if (!areMembersKnown(news)) return { inputs: unread(resource), failures: [], warnings: [] };
  const reader = readerFor(host, news);
  const oldMembers = recordedMembersOf(olds);
  const completions = [...membersOf(news)].map(async ([key, member]) => {
    const record = oldMembers.get(key) ?? NO_RECORD;
    const outcome = await findOutcome(reader, record, member);
    return [key, failing(host, record, completeInputs(outcome, record, member, secrets))] as const;
  });
  const { inputs, ...findings } = joinMembers(resource, new Map(await Promise.all(completions)));
  return { ...findings, inputs: { ...inputs, failures: findings.failures } };
}

/** Members of a fleet are read together, so that it is known how many there are. */
function readerFor(host: RecordHost, { args }: ResourceRecord): RecordHost {
  return isFleet(args) ? { ...host, read: host.readMember } : host;
}

/** Adds why a resource fails to its inputs. In a preview, what has no record of its own has no settings yet. */
function failing(host: RecordHost, record: ResourceRecord, completed: CompletedInputs): CompletedInputs {
  const { inputs, failures } = completed;
  const isUnread = host.isPreview === true && failures.length > 0 && !isRecordOf(record, inputs);
  return { ...completed, inputs: { ...(isUnread ? unread(inputs) : inputs), failures } };
}

/**
 * Leaves the comparison to the engine, which shows it property by property, with these exceptions:
 * - Another project or agent replaces the record, and so does an id in the state that is of another one.
 * - A record that moves between a program in TypeScript and the plugin is updated, and so is one that fails, or has failures in the state.
 * - Any other difference in internal properties alone is no change.
 * @param inputs those in the state; its outputs if the inputs are not known
 */
export function differenceOf(
  id: string,
  outputs: ResourceRecord,
  inputs: ResourceRecord,
  news: ResourceRecord,
): Difference {
  // A resource that fails replaces no record. In a refresh the inputs are those that were read, whether they are as expected or not.
  const isFailing = failuresOfCheck(news).length > 0 || (outputs.failures ?? []).length > 0;
  // The engine shows the whole of a map if it is told that there is a change. The failures of a fleet are a difference in any case.
  if (isFailing) return isFleet(news.args) ? {} : { changes: true };
  if (id !== resourceIdOf(outputs)) return { changes: true, replaces: ["projectId"] };
  if (isDeepStrictEqual([inputs.args, inputs.settings], [news.args, news.settings])) {
    return { changes: (outputs.provider === undefined) !== (news.provider === undefined) };
  }
  return { replaces: movedArguments(inputs, news) };
}

/** Returns what to record, unless there are failures: a policy may have changed the inputs since they were checked. */
export function outputsToRecord(news: ResourceRecord): Pick<Completion, "failures"> & { outputs: ResourceRecord } {
  return { outputs: outputsOf(news), failures: failuresOfUpdate(news) };
}

/**
 * Reads the settings of a resource that the engine knows by its id. Of a fleet, it reads the members that are recorded.
 * @param record its outputs in the state, and what they were read for if that is known; empty in an import, and in each run of
 * `AgentLogConfig.get`
 */
export async function refreshRecord(host: RecordHost, id: string, record: ResourceRecord): Promise<RefreshResult> {
  const reader = readerFor(host, record);
  const members = [...recordedMembersOf(record)].map(async ([key, member]) => {
    return [key, await refreshMember(reader, isFleet(record.args) ? idOf(member.args) : id, member)] as const;
  });
  const refreshed = new Map(await Promise.all(members));
  const args = withDefaults(argumentsInState(record.args));
  const { inputs, ...findings } = joinMembers({ ...record, args }, refreshed);
  const results = [...refreshed.values()];
  const isGone = !isFleet(args) && results.every((result) => result.inputs === undefined);
  return {
    ...findings,
    id: isGone ? undefined : id,
    inputs: results.some(({ isAnswered }) => isAnswered) ? inputs : undefined,
    outputs: outputsOf(inputs),
  };
}

async function refreshMember(host: RecordHost, id: string, record: ResourceRecord): Promise<RefreshedMember> {
  const nothing = { failures: [], warnings: [] };
  try {
    const { projectId, agent } = parseAgentLogConfigId(id);
    const result = await host.read({ projectId, agent });
    const readTarget = readTargetOf({ projectId, agent }, host.connection);
    const args = withDefaults({ ...argumentsInState(record.args), projectId, agent });
    const inputs = { ...record, args, settings: recordedSettingsOf(result), readTarget };
    return { ...nothing, inputs, isAnswered: true };
  } catch (error) {
    const finding = errorFinding(error);
    const kept = { ...nothing, inputs: { ...record, readTarget: readTargetIn(record) }, isAnswered: false };
    if (record.args.projectId === undefined) return { ...kept, failures: [finding] };
    if (saysGone(error)) {
      return { ...nothing, inputs: undefined, isAnswered: true, warnings: [{ ...finding, record: "gone" }] };
    }
    const readTarget = readTargetOf(record.args, host.connection);
    const verdict = judgeFailure({ finding, readTarget }, record, record.args);
    if (verdict.record === "used") return { ...kept, warnings: [verdict] };
    return { ...kept, failures: [verdict === finding ? errorFinding(withAdvice(error, host)) : verdict] };
  }
}

/** Says what may help if the connection is that of the last update. */
function withAdvice(error: unknown, { usesOldConnection = false }: RecordHost): unknown {
  return usesOldConnection && error instanceof AgentLogConfigError ? error.withAdvice(REFRESH_ADVICE) : error;
}

const REFRESH_ADVICE =
  "If the connection has changed since the last `pulumi up`, run `pulumi up`, or `pulumi refresh --run-program`.";

/** Returns why a resource is not recorded: the failures of its check, or else those of a change since the check. */
function failuresOfUpdate(inputs: ResourceRecord): readonly Finding[] {
  const findings = failuresOfCheck(inputs);
  if (findings.length > 0 || isUnknown(inputs.readTarget?.id)) return findings;
  // Only Check knows which settings are secrets, so nothing is quoted here.
  const judgements = [...membersOf(inputs)].map(([key, member]) => [key, judge(member, SETTING_NAMES)] as const);
  return joinMembers(inputs, new Map(judgements)).failures;
}

/** Returns the failures of the check, or a failure if the settings are not of this project and agent. */
function failuresOfCheck({ args, readTarget, failures = [] }: ResourceRecord): readonly Finding[] {
  if (failures.length > 0 || isUnknown(readTarget?.id) || readTarget?.id === targetIdOf(args)) return failures;
  return isFleet(args)
    ? [{ message: `AgentLogConfigs: ${POLICY_CHANGE}`, causeKey: POLICY_CHANGE }]
    : [resourceFinding(args, POLICY_CHANGE)];
}

const POLICY_CHANGE =
  "its settings were not read for what its arguments name, because a policy has changed its properties after the read; change them in the program instead.";

function outputsOf({ args, settings, provider }: ResourceRecord): ResourceRecord {
  return { args, settings, provider };
}

/**
 * Tells whether the service itself says that the project does not exist. Status 404 alone also comes from a wrong address, a
 * gateway and a service that can't read the id. The documentation does not say what the service responds for a deleted project; the
 * code comes from responses and clients of services of this kind.
 */
function saysGone(error: unknown): boolean {
  return error instanceof AgentLogConfigError && error.status === 404 && error.errorCode === "GROUP_NOT_FOUND";
}
