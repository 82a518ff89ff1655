import { errorFinding } from "../findings/finding.ts";
import { recordedSettingsOf } from "../model/agent-log-settings.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { idOf, parseAgentLogConfigId } from "../model/read-arguments.ts";
import { judgeFailure } from "./check-inputs.ts";
import { type RecordContext, readerFor } from "./find-outcome.ts";
import { type Completion, joinMembers, recordedMembersOf } from "./fleet-record.ts";
import { readTargetOf } from "./read-target.ts";
import { outputsOf } from "./record-changes.ts";
import { isRecorded, readTargetIn } from "./recorded-settings.ts";
import { argumentsInState, isFleet, withDefaults } from "./resource-arguments.ts";
import type { ResourceProperties } from "./resource-properties.ts";

/** What a refresh finds. Without inputs, the engine keeps the recorded ones, with the service that they were read from. */
interface RefreshResult extends Completion {
  /** undefined if the project does not exist any more. */
  readonly id: string | undefined;
  readonly outputs: ResourceProperties;
}

interface RefreshedMember extends Completion {
  /** The service has sent the settings, or has said that the project does not exist any more. */
  readonly isAnswered: boolean;
}

/**
 * Reads the settings of a resource that the engine knows by its id. Of a fleet, it reads the members that are recorded.
 * @param record its outputs in the state, and what they were read for if that is known; empty in an import, and in each run of
 * `AgentLogConfig.get`
 */
export async function refreshRecord(
  context: RecordContext,
  id: string,
  record: ResourceProperties,
): Promise<RefreshResult> {
  const reader = readerFor(context, record);
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

async function refreshMember(context: RecordContext, id: string, record: ResourceProperties): Promise<RefreshedMember> {
  const nothing = { failures: [], warnings: [] };
  try {
    const { projectId, agent } = parseAgentLogConfigId(id);
    const result = await context.read({ projectId, agent });
    const readTarget = readTargetOf({ projectId, agent }, context.connection);
    const args = withDefaults({ ...argumentsInState(record.args), projectId, agent });
    const inputs = { ...record, args, settings: recordedSettingsOf(result), readTarget };
    return { ...nothing, inputs, isAnswered: true };
  } catch (error) {
    const finding = errorFinding(error);
    const kept = { ...nothing, inputs: { ...record, readTarget: readTargetIn(record) }, isAnswered: false };
    if (!isRecorded(record)) return { ...kept, failures: [finding] };
    if (saysGone(error)) {
      return { ...nothing, inputs: undefined, isAnswered: true, warnings: [{ ...finding, record: "gone" }] };
    }
    const readTarget = readTargetOf(record.args, context.connection);
    const verdict = judgeFailure({ finding, readTarget }, record, record.args);
    if (verdict.record === "used") return { ...kept, warnings: [verdict] };
    return { ...kept, failures: [verdict === finding ? errorFinding(withAdvice(error, context)) : verdict] };
  }
}

/** Says what may help if the connection is that of the last update. A response that is an outage comes from the service that is meant. */
function withAdvice(error: unknown, { usesOldConnection = false }: RecordContext): unknown {
  if (!usesOldConnection || !(error instanceof AgentLogConfigError)) return error;
  return error.temporary && error.status !== undefined ? error : error.withAdvice(REFRESH_ADVICE);
}

const REFRESH_ADVICE =
  "If the connection has changed since the last `pulumi up`, run `pulumi up`, or `pulumi refresh --run-program`.";

/**
 * Tells whether the service itself says that the project does not exist. Status 404 alone also comes from a wrong address, a
 * gateway and a service that can't read the id. The documentation does not say what the service responds for a deleted project; the
 * code comes from responses and clients of services of this kind.
 */
function saysGone(error: unknown): boolean {
  return error instanceof AgentLogConfigError && error.status === 404 && error.errorCode === "GROUP_NOT_FOUND";
}
