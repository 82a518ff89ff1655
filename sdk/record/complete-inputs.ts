import { isDeepStrictEqual } from "node:util";
import { lookUpConnection, type SettingsSource } from "../connection/connection-settings.ts";
import type { UncheckedRead } from "../connection/settings-reader.ts";
import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { SETTING_NAMES } from "../model/agent-log-settings.ts";
import { type Finding, failureOfRecord } from "./finding-report.ts";
import { ignoredSettings, keepIgnored } from "./ignored-changes.ts";
import { recordedSettingsOf } from "./recorded-settings.ts";
import { refusalsOf } from "./resource-arguments.ts";
import { type ResourceRecord, UNREAD } from "./resource-record.ts";
import { belongsTo, fingerprintsOf, outcomeOf, type ReadOutcome, readForOf } from "./settings-origin.ts";
import { unmetExpectations } from "./unmet-expectations.ts";

/** What the engine gives to a provider for one resource. */
export interface Host {
  /** The places that the connection settings come from before the environment, the first one first. */
  readonly sources: readonly SettingsSource[];
  /** What to say last where a refresh fails for its connection; undefined where there is nothing to say. */
  readonly refreshAdvice?: string | undefined;
  /** Reads settings with the connection of the sources. */
  readonly read: (args: UncheckedRead) => Promise<AgentLogConfigResult>;
}

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
 * Completes the inputs of a resource with its settings: finds them, puts back what is ignored, and judges them.
 * @param olds the inputs in the state; empty where there are none, as for a replacement that is forced
 * @param secrets the settings that no message may quote, and the arguments that none may quote if they are invalid
 */
export async function completeInputs(
  host: Host,
  olds: ResourceRecord,
  news: ResourceRecord,
  secrets: readonly string[],
): Promise<Completed> {
  const { args, settings, provider, unchangedSince } = news;
  const given = { args, settings, provider, unchangedSince };
  // A time is an output, so that as an input it is an unknown argument.
  const refusals = refusalsOf({ ...args, unchangedSince }, secrets);
  if (refusals.length > 0) return { inputs: given, failures: refusals, warnings: [] };
  const ignored = ignoredPaths(olds, news);
  const { settings: found, readFor, problem } = await findSettings(host, olds, news, ignored);
  const inputs = { ...given, settings: keepIgnored({ ...settings, ...found }, olds.settings, ignored), readFor };
  return problem === null ? judge(inputs, secrets) : useRecord(olds, inputs, problem, secrets);
}

/** Settings, and what they were read for. */
interface FoundSettings extends ReadOutcome, Pick<ResourceRecord, "readFor"> {}

/**
 * Returns the settings that the program has read if they belong to this record; else reads them, unless all of them are ignored:
 * then they stay those of the service that they were read from.
 */
async function findSettings(
  host: Host,
  olds: ResourceRecord,
  { args, origin }: ResourceRecord,
  ignored: readonly string[],
): Promise<FoundSettings> {
  const { projectId, agent } = args;
  // In a preview an origin and its settings are unknown where a read of the program waits for something that is still to be created.
  if (origin === UNKNOWN) return { settings: {}, readFor: UNKNOWN, problem: null };
  if (isUnknown(projectId) || isUnknown(agent)) return { ...UNREAD, problem: null };
  if (origin !== undefined && belongsTo(origin, args, host.sources)) {
    const absent = Object.fromEntries(origin.absent.map((name) => [name, null]));
    return { settings: absent, readFor: readForOf(args, origin.fingerprints.baseUrl), problem: origin.problem };
  }
  const whole = ignoredSettings(ignored);
  if (SETTING_NAMES.every((name) => whole.includes(name))) {
    return { settings: {}, readFor: olds.readFor ?? null, problem: null };
  }
  return { ...(await outcomeOf(host.read({ projectId, agent }))), readFor: readForOf(args, serviceOf(host)) };
}

/**
 * The paths whose recorded values stay. An origin says which these are; without one nothing but `ignoreChanges` puts settings
 * among the inputs, with their recorded values.
 */
function ignoredPaths(olds: ResourceRecord, news: ResourceRecord): readonly string[] {
  if (olds.args.projectId === undefined || movedArguments(olds, news).length > 0) return [];
  const { settings, origin } = news;
  if (origin !== undefined && origin !== UNKNOWN) return origin.ignored;
  return SETTING_NAMES.filter((name) => {
    return settings[name] !== undefined && isDeepStrictEqual(settings[name], olds.settings[name]);
  });
}

/** Judges settings by what is expected of them. */
export function judge(inputs: ResourceRecord, secrets: readonly string[]): Completed {
  const { args, settings, readFor } = inputs;
  if (isUnknown(readFor)) return { inputs, failures: [], warnings: [] };
  const unmet = unmetExpectations(args.expect, settings, secrets).map((cause) => failureOfRecord(args, cause));
  const isWarned = args.whenUnexpected === "warn";
  return { inputs, failures: isWarned ? [] : unmet, warnings: isWarned ? unmet : [] };
}

/** Uses the recorded settings in the place of those that could not be read, if they may be used. */
function useRecord(
  record: ResourceRecord,
  { readFor, ...inputs }: ResourceRecord,
  problem: Finding,
  secrets: readonly string[],
): Completed {
  const isOwn = isRecordOf(record, inputs);
  const found = isOwn ? { ...inputs, settings: recordedSettingsOf(record.settings) } : inputs;
  if (!isOwn || !mayUseRecord(inputs, problem)) return { inputs: found, failures: [problem], warnings: [] };
  if ((record.readFor ?? readFor) === readFor) return { ...judge({ ...found, readFor }, secrets), outage: problem };
  const why = "The recorded settings come from another service, so they are not used.";
  const failure = { message: `${problem.message} ${why}`, cause: `${problem.cause} ${why}` };
  return { inputs: found, failures: [failure], warnings: [] };
}

/** Returns which arguments name another project or agent than the record; what is not known yet may be the same. */
export function movedArguments({ args: recorded }: ResourceRecord, { args }: ResourceRecord): readonly string[] {
  return ["projectId", "agent"].filter((name) => !isUnknown(args[name]) && args[name] !== recorded[name]);
}

/** Tells whether a record is of the project and the agent that the inputs name. */
export function isRecordOf(record: ResourceRecord, inputs: ResourceRecord): boolean {
  return record.args.projectId === inputs.args.projectId && record.args.agent === inputs.args.agent;
}

/** Tells whether the recorded settings may be used, if there are any, for those that could not be read. */
export function mayUseRecord({ args }: ResourceRecord, { temporary }: Finding): boolean {
  return temporary === true && args.whenUnavailable === "useRecorded";
}

/** A fingerprint of the service's address, which may be a secret of the stack. */
export function serviceOf({ sources }: Host): string | null {
  return fingerprintsOf(lookUpConnection(...sources)).baseUrl;
}
