import type { ReadOutcome } from "./find-settings.ts";
import { type Finding, findingOfRecord } from "./finding-report.ts";
import { keptSettings } from "./ignored-changes.ts";
import { type RecordedSettings, recordedSettingsOf } from "./recorded-settings.ts";
import { recordedArguments } from "./resource-arguments.ts";
import { isRecordOf, mayBeOfService, type ResourceRecord, readForIn, UNREAD } from "./resource-record.ts";
import type { ReadFor } from "./settings-origin.ts";
import { unmetExpectations } from "./unmet-expectations.ts";

/** The inputs of a resource with its settings, and what is said of it. */
export interface Completion {
  /** The inputs to record. After a failed read they have the recorded settings, if these are of the same project and agent. */
  readonly inputs: ResourceRecord;
  /** Why it fails. */
  readonly failures: readonly Finding[];
  /** What it only warns of. */
  readonly warnings: readonly Finding[];
}

/**
 * Completes the inputs of a resource with its settings: puts back what is ignored, and judges them.
 * @param outcome what is known of its settings
 * @param olds the inputs in the state; empty if there are none, as for a replacement that is forced
 * @param secrets the settings that no message may quote
 */
export function completeInputs(
  outcome: ReadOutcome,
  olds: ResourceRecord,
  news: ResourceRecord,
  secrets: readonly string[],
): Completion {
  const keptEntries = keptSettings(olds, news).map((name) => [name, olds.settings[name]]);
  const keep = (settings: RecordedSettings) => recordedSettingsOf({ ...settings, ...Object.fromEntries(keptEntries) });
  const programInputs = inputsOfProgram(news);
  switch (outcome.kind) {
    case "unknown":
      return { inputs: { ...programInputs, ...UNREAD, settings: keep(UNREAD.settings) }, failures: [], warnings: [] };
    case "ignored":
      return judge(
        { ...programInputs, settings: recordedSettingsOf(olds.settings), readFor: readForIn(olds) },
        secrets,
      );
    case "read":
      return judge({ ...programInputs, settings: keep(outcome.settings), readFor: outcome.readFor }, secrets);
    case "failed":
      return useRecord(olds, news, outcome.finding, outcome.readFor, secrets);
  }
}

/** Returns the inputs of a resource that can't be read. Of the internal properties that were sent, they have only the provider. */
export function refuseInputs(news: ResourceRecord, failures: readonly Finding[]): Completion {
  return { inputs: { ...inputsOfProgram(news), settings: news.settings }, failures, warnings: [] };
}

/** Judges settings by what is expected of them. */
export function judge(inputs: ResourceRecord, secrets: readonly string[]): Completion {
  const { args, settings } = inputs;
  const findings = unmetExpectations(args.expect, settings, secrets).map((cause) => findingOfRecord(args, cause));
  const isWarned = args.whenUnexpected === "warn";
  return { inputs, failures: isWarned ? [] : findings, warnings: isWarned ? findings : [] };
}

/** Tells whether a resource may use its recorded settings, if it has any, after a read that failed with this finding. */
export function mayUseRecord({ args }: ResourceRecord, { temporary }: Finding): boolean {
  return temporary === true && args.whenUnavailable === "useRecorded";
}

/** What to say of an outage in which there is a record that may not be used. */
export const OF_OTHER_SERVICE = "the recorded settings come from another service, so they are not used";

/** Uses the recorded settings instead of those that could not be read, if that is allowed. Otherwise the resource fails. */
function useRecord(
  record: ResourceRecord,
  news: ResourceRecord,
  finding: Finding,
  { service }: ReadFor,
  secrets: readonly string[],
): Completion {
  const isOwn = isRecordOf(record, news);
  const inputs = { ...inputsOfProgram(news), settings: recordedSettingsOf(isOwn ? record.settings : {}) };
  if (!isOwn || !mayUseRecord(news, finding)) return { inputs, failures: [finding], warnings: [] };
  if (mayBeOfService(record, service)) {
    const { failures, warnings } = judge(inputs, secrets);
    return {
      inputs: { ...inputs, readFor: readForIn(record) },
      failures,
      warnings: [{ ...finding, record: "used" }, ...warnings],
    };
  }
  const message = `${finding.message} But ${OF_OTHER_SERVICE}.`;
  return { inputs, failures: [{ message, cause: `${finding.cause}; ${OF_OTHER_SERVICE}` }], warnings: [] };
}

/** Returns what the program has passed, without settings. */
function inputsOfProgram({ args, provider }: ResourceRecord): Omit<ResourceRecord, "settings"> {
  return { args: recordedArguments(args), provider };
}
