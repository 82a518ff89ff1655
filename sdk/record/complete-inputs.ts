import { isDeepStrictEqual } from "node:util";
import { lookUpConnection, type SettingsSource } from "../connection/connection-settings.ts";
import type { UncheckedRead } from "../connection/settings-reader.ts";
import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { SETTING_NAMES } from "../model/agent-log-settings.ts";
import { type Finding, failureOfRecord } from "./finding-report.ts";
import { ignoredSettings, keepIgnored } from "./ignored-changes.ts";
import { refusalsOf } from "./resource-arguments.ts";
import {
  belongsTo,
  fingerprintsOf,
  isOrigin,
  outcomeOf,
  READ_FOR,
  type ReadOutcome,
  readForOf,
} from "./settings-origin.ts";
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

/** The properties of a resource as plain JSON. Names that begin with two underscores are internal. */
export type Properties = Readonly<Record<string, unknown>>;

/** The inputs of a resource with its settings, and what is said of it. */
export interface Completed {
  /** What is to be recorded. After a failed read it has the recorded settings, if they are its own. */
  readonly inputs: Properties;
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
  olds: Properties,
  { __origin: origin, __provider: provider, ...given }: Properties,
  secrets: readonly string[],
): Promise<Completed> {
  const args = { ...withoutInternal(given), ...(provider !== undefined && { __provider: provider }) };
  const refusals = refusalsOf(args, secrets);
  if (refusals.length > 0) return { inputs: args, failures: refusals, warnings: [] };
  const ignored = ignoredPaths(olds, args, origin);
  const { settings, readFor, problem } = await findSettings(host, olds, args, origin, ignored);
  const inputs = { ...keepIgnored({ ...args, ...settings }, olds, ignored), [READ_FOR]: readFor };
  return problem === null ? judge(inputs, secrets) : useRecord(olds, inputs, problem, secrets);
}

/** Returns properties without those that are the package's own, which a caller may not send. */
export function withoutInternal(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !name.startsWith("__")));
}

/** Settings, and what they were read for; {@link UNKNOWN} where that is not known yet. */
interface FoundSettings extends ReadOutcome {
  readonly readFor: unknown;
}

/**
 * Returns the settings that the program has read if they belong to this record; else reads them, unless all of them are ignored:
 * then they stay those of the service that they were read from.
 */
async function findSettings(
  host: Host,
  olds: Properties,
  args: Properties,
  origin: unknown,
  ignored: readonly string[],
): Promise<FoundSettings> {
  const { projectId, agent } = args;
  // In a preview an origin and its settings are unknown where a read of the program waits for something that is still to be created.
  if (isUnknown(origin)) return { settings: {}, readFor: UNKNOWN, problem: null };
  if (isUnknown(projectId) || isUnknown(agent)) return { settings: UNKNOWN_SETTINGS, readFor: UNKNOWN, problem: null };
  if (isOrigin(origin) && belongsTo(origin, args, host.sources)) {
    const absent = Object.fromEntries(origin.absent.map((name) => [name, null]));
    return { settings: absent, readFor: readForOf(args, origin.fingerprints.baseUrl), problem: origin.problem };
  }
  const whole = ignoredSettings(ignored);
  if (SETTING_NAMES.every((name) => whole.includes(name))) {
    return { settings: {}, readFor: olds[READ_FOR] ?? null, problem: null };
  }
  return { ...(await outcomeOf(host.read({ projectId, agent }))), readFor: readForOf(args, serviceOf(host)) };
}

/**
 * The paths whose recorded values stay. An origin says which these are; without one nothing but `ignoreChanges` puts settings
 * among the inputs, with their recorded values.
 */
function ignoredPaths(olds: Properties, inputs: Properties, origin: unknown): readonly string[] {
  if (olds["projectId"] === undefined) return [];
  if (isOrigin(origin)) return origin.ignored;
  return SETTING_NAMES.filter((name) => inputs[name] !== undefined && isDeepStrictEqual(inputs[name], olds[name]));
}

/** Judges settings by what is expected of them. */
export function judge(inputs: Properties, secrets: readonly string[]): Completed {
  if (isUnknown(inputs[READ_FOR])) return { inputs, failures: [], warnings: [] };
  const unmet = unmetExpectations(inputs["expect"], inputs, secrets).map((cause) => failureOfRecord(inputs, cause));
  const isWarned = inputs["whenUnexpected"] === "warn";
  return { inputs, failures: isWarned ? [] : unmet, warnings: isWarned ? unmet : [] };
}

/** Uses the recorded settings in the place of those that could not be read, if they may be used. */
function useRecord(
  record: Properties,
  { [READ_FOR]: readFor, ...inputs }: Properties,
  problem: Finding,
  secrets: readonly string[],
): Completed {
  const isOwn = isRecordOf(record, inputs);
  const kept = SETTING_NAMES.map((name) => [name, record[name] ?? null]);
  const found = isOwn ? { ...inputs, ...Object.fromEntries(kept) } : inputs;
  if (!isOwn || !mayUseRecord(inputs, problem)) return { inputs: found, failures: [problem], warnings: [] };
  if ((record[READ_FOR] ?? readFor) === readFor) {
    return { ...judge({ ...found, [READ_FOR]: readFor }, secrets), outage: problem };
  }
  const why = "The recorded settings come from another service, so they are not used.";
  const failure = { message: `${problem.message} ${why}`, cause: `${problem.cause} ${why}` };
  return { inputs: found, failures: [failure], warnings: [] };
}

/** Tells whether a record is of the project and the agent that the inputs name. */
export function isRecordOf(record: Properties, inputs: Properties): boolean {
  return ["projectId", "agent"].every((name) => record[name] === inputs[name]);
}

/** Tells whether the recorded settings may be used, if there are any, for those that could not be read. */
export function mayUseRecord({ whenUnavailable }: Properties, { temporary }: Finding): boolean {
  return temporary === true && whenUnavailable === "useRecorded";
}

/** A fingerprint of the service's address, which may be a secret of the stack. */
export function serviceOf({ sources }: Host): string | null {
  return fingerprintsOf(lookUpConnection(...sources)).baseUrl;
}

/** The settings of a resource that nothing is known of yet. */
export const UNKNOWN_SETTINGS: Properties = Object.fromEntries(
  [...SETTING_NAMES, READ_FOR].map((name) => [name, UNKNOWN]),
);
