import { type Finding, resourceFinding } from "../findings/finding.ts";
import { type RecordedSettings, recordedSettingsOf } from "../model/agent-log-settings.ts";
import { unmetExpectations } from "./expectations.ts";
import { findOutcome, keptNames, type ReadOutcome, type RecordContext, readerFor } from "./find-outcome.ts";
import { areMembersKnown, type Completion, joinMembers, membersOf, recordedMembersOf, unread } from "./fleet-record.ts";
import type { ReadTarget } from "./read-target.ts";
import { isRecordOf, NO_RECORD, readTargetIn } from "./recorded-settings.ts";
import { argumentFindings, type GivenArguments, withDefaults } from "./resource-arguments.ts";
import { type ResourceProperties, UNKNOWN_READ } from "./resource-properties.ts";

// For each resource of a run, the engine asks for a check, then for the difference if there is a record, and then to create or
// update it if it differs; in a refresh it asks to read, and then for the difference alone.
//
// The engine ends its work at a check that fails, even if it is asked to go on after errors. So a check completes the inputs of a
// resource that fails, with the failures among them. Its difference is then an update, and to create or update the resource fails.

/** The inputs of a resource with its settings, and what is said of it. After a failed read they have the recorded settings, if there are any. */
export interface CompletedInputs extends Completion {
  readonly inputs: ResourceProperties;
}

/**
 * Completes the inputs of a resource with its settings, and judges them. All members of a fleet are read at the same time.
 * @param olds the inputs in the state; empty for a record that is created, and for the new one of a replacement
 * @param secrets the names of settings and arguments that no message may quote
 */
export async function checkInputs(
  context: RecordContext,
  olds: ResourceProperties,
  news: ResourceProperties,
  secrets: readonly string[],
): Promise<CompletedInputs> {
  const resource = { settings: olds.settings, ...inputsOfProgram(news) };
  const failures = argumentFindings(news.args, secrets);
  if (failures.length > 0) return failing(context, olds, { inputs: resource, failures, warnings: [] });
  if (!areMembersKnown(news)) return { inputs: unread(resource), failures: [], warnings: [] };
  const reader = readerFor(context, news);
  const oldMembers = recordedMembersOf(olds);
  const completions = [...membersOf(news)].map(async ([key, member]) => {
    const record = oldMembers.get(key) ?? NO_RECORD;
    const outcome = await findOutcome(reader, record, member);
    return [key, failing(context, record, completeInputs(outcome, record, member, secrets))] as const;
  });
  const { inputs, ...findings } = joinMembers(resource, new Map(await Promise.all(completions)));
  return { ...findings, inputs: { ...inputs, failures: findings.failures } };
}

/** Adds why a resource fails to its inputs. In a preview, what has no record of its own has no settings yet. */
function failing(context: RecordContext, record: ResourceProperties, completed: CompletedInputs): CompletedInputs {
  const { inputs, failures } = completed;
  const isUnread = context.isPreview === true && failures.length > 0 && !isRecordOf(record, inputs);
  return { ...completed, inputs: { ...(isUnread ? unread(inputs) : inputs), failures } };
}

/** Completes the inputs of a resource with its settings: puts back what is ignored, and judges them. */
export function completeInputs(
  outcome: ReadOutcome,
  olds: ResourceProperties,
  news: ResourceProperties,
  secrets: readonly string[],
): CompletedInputs {
  const keptEntries = keptNames(olds, news).map((name) => [name, olds.settings[name]]);
  const keep = (settings: RecordedSettings) => recordedSettingsOf({ ...settings, ...Object.fromEntries(keptEntries) });
  const programInputs = inputsOfProgram(news);
  switch (outcome.kind) {
    case "unknown":
      return {
        inputs: { ...programInputs, ...UNKNOWN_READ, settings: keep(UNKNOWN_READ.settings) },
        failures: [],
        warnings: [],
      };
    case "ignored":
      return judgeSettings(
        { ...programInputs, settings: recordedSettingsOf(olds.settings), readTarget: readTargetIn(olds) },
        secrets,
      );
    case "read":
      return judgeSettings(
        { ...programInputs, settings: keep(outcome.settings), readTarget: outcome.readTarget },
        secrets,
      );
    case "failed": {
      const isRecorded = isRecordOf(olds, news);
      const inputs = { ...programInputs, settings: recordedSettingsOf(isRecorded ? olds.settings : {}) };
      const finding = isRecorded ? judgeFailure(outcome, olds, news.args) : outcome.finding;
      if (finding.record !== "used") return { inputs, failures: [finding], warnings: [] };
      const { failures, warnings } = judgeSettings(inputs, secrets);
      return { inputs: { ...inputs, readTarget: readTargetIn(olds) }, failures, warnings: [finding, ...warnings] };
    }
  }
}

/** Returns what the program has passed, without settings. */
function inputsOfProgram({ args, provider }: ResourceProperties): Omit<ResourceProperties, "settings"> {
  return { args: withDefaults(args), provider };
}

export function judgeSettings(inputs: ResourceProperties, secrets: readonly string[]): CompletedInputs {
  const { args, settings } = inputs;
  const findings = unmetExpectations(args.expect, settings, secrets).map((says) => resourceFinding(args, says));
  const isWarned = args.whenUnexpected === "warn";
  return { inputs, failures: isWarned ? [] : findings, warnings: isWarned ? findings : [] };
}

/**
 * Judges a read that has failed. In an outage the recorded settings are used, if the arguments allow it and they are of the same service.
 * @returns the finding of the resource; its `record` is `"used"` if it is only a warning
 */
export function judgeFailure(
  { finding, readTarget }: { readonly finding: Finding; readonly readTarget: ReadTarget },
  record: ResourceProperties,
  { whenUnavailable }: GivenArguments,
): Finding {
  if (finding.temporary !== true || whenUnavailable !== "useRecorded") return finding;
  const { service } = readTargetIn(record);
  if (service === null || service === readTarget.service) return { ...finding, record: "used" };
  // It is a cause of its own, which an outage of other resources does not tell.
  return { message: `${finding.message} But ${OTHER_SERVICE}.`, causeKey: `${finding.causeKey}; ${OTHER_SERVICE}` };
}

const OTHER_SERVICE = "the recorded settings come from another service, so they are not used";
