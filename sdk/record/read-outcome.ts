import { isDeepStrictEqual } from "node:util";
import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import {
  type AgentLogConfigResult,
  type AgentLogSettings,
  type RecordedSettings,
  recordedSettingsOf,
  SETTING_NAMES,
  type SettingName,
} from "../model/agent-log-settings.ts";
import { type ReadArguments, readArgumentsSchema } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";
import { unmetExpectations } from "./expectations.ts";
import { errorFinding, type Finding, resourceFinding } from "./finding-report.ts";
import type { Completion } from "./fleet-record.ts";
import { belongsTo } from "./program-origin.ts";
import { type ReadTarget, readTargetOf } from "./read-target.ts";
import { type GivenArguments, withDefaults } from "./resource-arguments.ts";
import { isRecordOf, type ResourceRecord, readTargetIn, UNREAD } from "./resource-record.ts";

/** What the engine gives to a provider for one record. */
export interface RecordHost {
  /** The connection that `read` uses. */
  readonly connection: ConnectionSettings;
  /** In a refresh, the connection may be that of the last update. */
  readonly usesOldConnection?: boolean | undefined;
  /** The caller knows that it is a preview, and takes marks of unknown values. */
  readonly isPreview?: boolean | undefined;
  readonly read: (args: ReadArguments) => Promise<AgentLogConfigResult>;
  /** Reads one of the members of a fleet, which all begin together. */
  readonly readMember: (args: ReadArguments) => Promise<AgentLogConfigResult>;
}

/**
 * What is known of the settings of a resource. Nothing is known yet if, in a preview, a read waits for something that is still to be
 * created. If the program ignores changes of all settings, they stay as they are recorded, whatever a read has found.
 */
export type ReadOutcome = { readonly kind: "unknown" } | { readonly kind: "ignored" } | EndedRead;

/** A read has ended, in the program or in the provider. */
type EndedRead = { readonly readTarget: ReadTarget } & (
  | { readonly kind: "read"; readonly settings: RecordedSettings }
  | { readonly kind: "failed"; readonly finding: Finding }
);

/**
 * Finds the settings of a resource whose arguments are valid. It takes the settings that the program has read, if they belong to
 * this record. Otherwise it reads.
 * @param olds the inputs in the state; empty if there are none, as for a replacement that is forced
 */
export async function findOutcome(host: RecordHost, olds: ResourceRecord, news: ResourceRecord): Promise<ReadOutcome> {
  const { args, origin } = news;
  const { projectId, agent } = args;
  if (origin === UNKNOWN || isUnknown(projectId) || isUnknown(agent)) return { kind: "unknown" };
  if (keptNames(olds, news).length === SETTING_NAMES.length) return { kind: "ignored" };
  const read = origin?.read;
  if (read !== undefined && belongsTo(read, args, host.connection)) {
    const { failure: finding, readTarget } = read;
    if (finding !== undefined) return { kind: "failed", finding, readTarget };
    // If a record moves, the engine has put ignored settings of the other project among the inputs.
    const isMoved = olds.args.projectId !== undefined && !isRecordOf(olds, news);
    if (!isMoved || origin?.ignoreChanges.length === 0) {
      return { kind: "read", settings: news.settings, readTarget };
    }
  }
  return outcomeOf(host.read(readArgumentsSchema.parse({ projectId, agent })), readTargetOf(args, host.connection));
}

/** Waits for a read, which may fail. */
export async function outcomeOf(read: Promise<AgentLogSettings>, readTarget: ReadTarget): Promise<EndedRead> {
  try {
    return { kind: "read", settings: recordedSettingsOf(await read), readTarget };
  } catch (error) {
    return { kind: "failed", finding: errorFinding(error), readTarget };
  }
}

/** The inputs of a resource with its settings, and what is said of it. After a failed read they have the recorded settings, if there are any. */
export interface CompletedInputs extends Completion {
  readonly inputs: ResourceRecord;
}

/** Completes the inputs of a resource with its settings: puts back what is ignored, and judges them. */
export function completeInputs(
  outcome: ReadOutcome,
  olds: ResourceRecord,
  news: ResourceRecord,
  secrets: readonly string[],
): CompletedInputs {
  const keptEntries = keptNames(olds, news).map((name) => [name, olds.settings[name]]);
  const keep = (settings: RecordedSettings) => recordedSettingsOf({ ...settings, ...Object.fromEntries(keptEntries) });
  const programInputs = inputsOfProgram(news);
  switch (outcome.kind) {
    case "unknown":
      return { inputs: { ...programInputs, ...UNREAD, settings: keep(UNREAD.settings) }, failures: [], warnings: [] };
    case "ignored":
      return judge(
        { ...programInputs, settings: recordedSettingsOf(olds.settings), readTarget: readTargetIn(olds) },
        secrets,
      );
    case "read":
      return judge({ ...programInputs, settings: keep(outcome.settings), readTarget: outcome.readTarget }, secrets);
    case "failed": {
      const isRecorded = isRecordOf(olds, news);
      const inputs = { ...programInputs, settings: recordedSettingsOf(isRecorded ? olds.settings : {}) };
      const finding = isRecorded ? judgeFailure(outcome, olds, news.args) : outcome.finding;
      if (finding.record !== "used") return { inputs, failures: [finding], warnings: [] };
      const { failures, warnings } = judge(inputs, secrets);
      return { inputs: { ...inputs, readTarget: readTargetIn(olds) }, failures, warnings: [finding, ...warnings] };
    }
  }
}

export function judge(inputs: ResourceRecord, secrets: readonly string[]): CompletedInputs {
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
  record: ResourceRecord,
  { whenUnavailable }: GivenArguments,
): Finding {
  if (finding.temporary !== true || whenUnavailable !== "useRecorded") return finding;
  const { service } = readTargetIn(record);
  if (service === null || service === readTarget.service) return { ...finding, record: "used" };
  // It is a cause of its own, which an outage of other resources does not tell.
  return { message: `${finding.message} But ${OTHER_SERVICE}.`, causeKey: `${finding.causeKey}; ${OTHER_SERVICE}` };
}

const OTHER_SERVICE = "the recorded settings come from another service, so they are not used";

/** Returns what the program has passed, without settings. */
export function inputsOfProgram({ args, provider }: ResourceRecord): Omit<ResourceRecord, "settings"> {
  return { args: withDefaults(args), provider };
}

// The engine applies `ignoreChanges` twice: it puts recorded values among the inputs before a check, and again when it compares them
// with the record. But a check that reads has other settings than those inputs, so it keeps the settings that are ignored as a whole.

/**
 * Returns the settings whose recorded values stay. An origin has the paths of `ignoreChanges`. Without an origin, only `ignoreChanges`
 * puts settings among the inputs, and puts them there with their recorded values.
 */
export function keptNames(olds: ResourceRecord, news: ResourceRecord): readonly SettingName[] {
  if (!isRecordOf(olds, news)) return [];
  const { settings, origin } = news;
  return SETTING_NAMES.filter((name) => {
    if (origin !== undefined && origin !== UNKNOWN) return isAmong(origin.ignoreChanges, name);
    return settings[name] !== undefined && isDeepStrictEqual(settings[name], olds.settings[name]);
  });
}

function isAmong(paths: readonly string[], name: SettingName): boolean {
  return paths.includes(name) || paths.includes(`["${name}"]`);
}
