import type { ReadOutcome } from "./find-settings.ts";
import { type Finding, failureOfRecord } from "./finding-report.ts";
import { ignoredPaths, keepIgnored } from "./ignored-changes.ts";
import { type RecordedSettings, recordedSettingsOf } from "./recorded-settings.ts";
import { isRecordOf, type ResourceRecord, readForIn, UNREAD } from "./resource-record.ts";
import type { ReadFor } from "./settings-origin.ts";
import { unmetExpectations } from "./unmet-expectations.ts";

/** The inputs of a resource with its settings, and what is said of it. */
export interface Completed {
  /** What is to be recorded. After a failed read it has the recorded settings, if they are its own. */
  readonly inputs: ResourceRecord;
  /** Why it fails. */
  readonly failures: readonly Finding[];
  /** What it only warns of. */
  readonly warnings: readonly Finding[];
  /** The outage because of which the recorded settings are used. */
  readonly outage?: Finding | undefined;
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
): Completed {
  const keep = (settings: RecordedSettings) => keepIgnored(settings, olds.settings, ignoredPaths(olds, news));
  const sent = sentBy(news);
  switch (outcome.kind) {
    case "unknown":
      return { inputs: { ...sent, ...UNREAD, settings: keep(UNREAD.settings) }, failures: [], warnings: [] };
    case "ignored":
      return judge({ ...sent, settings: recordedSettingsOf(olds.settings), readFor: readForIn(olds) }, secrets);
    case "read":
      return judge({ ...sent, settings: keep(outcome.settings), readFor: outcome.readFor }, secrets);
    case "failed":
      return useRecord(olds, news, outcome.failure, outcome.readFor, secrets);
  }
}

/** Returns the inputs of a resource that can't be read, with nothing of the package's own that was sent. */
export function refuse(news: ResourceRecord, failures: readonly Finding[]): Completed {
  return { inputs: { ...sentBy(news), settings: news.settings }, failures, warnings: [] };
}

/** Judges settings by what is expected of them. */
export function judge(inputs: ResourceRecord, secrets: readonly string[]): Completed {
  const { args, settings } = inputs;
  const unmet = unmetExpectations(args.expect, settings, secrets).map((cause) => failureOfRecord(args, cause));
  const isWarned = args.whenUnexpected === "warn";
  return { inputs, failures: isWarned ? [] : unmet, warnings: isWarned ? unmet : [] };
}

/** Tells whether the recorded settings may be used, if there are any, for those that could not be read. */
export function mayUseRecord({ args }: ResourceRecord, { temporary }: Finding): boolean {
  return temporary === true && args.whenUnavailable === "useRecorded";
}

/** Uses the recorded settings in the place of those that could not be read, if they may be used. */
function useRecord(
  record: ResourceRecord,
  news: ResourceRecord,
  failure: Finding,
  { service }: ReadFor,
  secrets: readonly string[],
): Completed {
  const isOwn = isRecordOf(record, news);
  const inputs = { ...sentBy(news), settings: recordedSettingsOf(isOwn ? record.settings : {}) };
  if (!isOwn || !mayUseRecord(news, failure)) return { inputs, failures: [failure], warnings: [] };
  const readFor = readForIn(record);
  if (readFor.service === null || readFor.service === service) {
    return { ...judge({ ...inputs, readFor }, secrets), outage: failure };
  }
  const why = "The recorded settings come from another service, so they are not used.";
  const unused = { message: `${failure.message} ${why}`, cause: `${failure.cause} ${why}` };
  return { inputs, failures: [unused], warnings: [] };
}

/** What a program has sent and nobody has read. A time is an output, so that as an input it is an unknown argument. */
function sentBy({ args, provider, unchangedSince }: ResourceRecord): Omit<ResourceRecord, "settings"> {
  return { args, provider, unchangedSince };
}
