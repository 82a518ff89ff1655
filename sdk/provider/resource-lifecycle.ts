import { isDeepStrictEqual } from "node:util";
import { idOf, parseAgentLogConfigId } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { SETTING_NAMES } from "../client/agent-log-settings.ts";
import { AgentLogConfigError, CODES } from "../client/errors.ts";
import { lookUpConnection, type SettingsSource } from "../shared/connection-settings.ts";
import { isUnknown, UNKNOWN } from "../shared/engine-marks.ts";
import type { Failure, Outage } from "../shared/failure-report.ts";
import {
  belongsTo,
  fingerprintsOf,
  isReading,
  outcomeOf,
  type Problem,
  problemOf,
  type ReadOutcome,
  recordSettings,
} from "../shared/reading.ts";
import { refusalsOf } from "../shared/resource-arguments.ts";
import type { UncheckedRead } from "../shared/settings-reader.ts";
import { mayUseRecord, type Verdict, verdictOf } from "../shared/verdict.ts";

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

/** What a check has found. */
export interface Checked extends Verdict {
  /** What is to be recorded. After a failed read it has the recorded settings, if they are its own. */
  readonly inputs: Properties;
  /** The outage because of which the recorded settings are used. */
  readonly outage?: Failure | undefined;
}

/**
 * Completes the inputs of a resource with its settings: those that the program has read if they belong to this record, and
 * otherwise those that are read now, with the engine's connection. Then it judges them, because only now nothing changes
 * the inputs any more.
 * @param olds the inputs in the state; empty where there are none, as for a replacement that is forced
 * @param secrets the arguments and settings that no message may quote
 */
export async function completeInputs(
  host: Host,
  olds: Properties,
  { __reading: reading, ...args }: Properties,
  secrets: readonly string[],
): Promise<Checked> {
  const belongs = isReading(reading) && belongsTo(reading, args, host.sources);
  const inputs = { ...args, __service: belongs ? reading.fingerprints.baseUrl : serviceOf(host) };
  const refusals = refusalsOf(args, secrets);
  if (refusals.length > 0) return { inputs, failures: refusals, warnings: [] };
  // In a preview a reading and its settings are unknown where the read waits for something that is still to be created.
  if (isUnknown(reading)) return { inputs, failures: [], warnings: [] };
  if (isUnknown(args["projectId"]) || isUnknown(args["agent"])) {
    return { inputs: { ...inputs, ...allSettings(() => UNKNOWN) }, failures: [], warnings: [] };
  }
  const { settings, problem } = belongs
    ? { settings: {}, problem: reading.problem }
    : await readOthers(host, args, keptSettings(olds, args, reading));
  return decide(olds, { ...inputs, ...settings }, problem, secrets);
}

/** Reads the settings, except those to keep. Nothing is read if all of them are kept. */
async function readOthers(host: Host, { projectId, agent }: Properties, kept: Properties): Promise<ReadOutcome> {
  if (SETTING_NAMES.every((name) => name in kept)) return { settings: kept, problem: null };
  const { settings, problem } = await outcomeOf(host.read({ projectId, agent }));
  return { settings: { ...settings, ...kept }, problem };
}

/** Judges the settings that were found, or uses the recorded ones, if they may be used for what could not be read. */
function decide(record: Properties, inputs: Properties, problem: Problem | null, secrets: readonly string[]): Checked {
  if (problem === null) return { inputs, ...verdictOf(inputs, problem, secrets) };
  const isOwn = ["projectId", "agent"].every((name) => record[name] === inputs[name]);
  const found = isOwn ? { ...inputs, ...allSettings((name) => record[name] ?? null) } : inputs;
  if (!isOwn || !mayUseRecord(inputs, problem)) return { inputs: found, failures: [problem], warnings: [] };
  if ((record["__service"] ?? inputs["__service"]) === inputs["__service"]) {
    return { inputs: found, outage: problem, ...verdictOf(found, null, secrets) };
  }
  const why = "The recorded settings come from another service, so they are not used.";
  const failure = { message: `${problem.message} ${why}`, cause: `${problem.cause} ${why}` };
  return { inputs: found, failures: [failure], warnings: [] };
}

/**
 * A fingerprint of the service's address, which may be a secret of the stack. It is recorded, so that an outage makes use of
 * a record of the same service alone.
 */
function serviceOf({ sources }: Host): string | null {
  return fingerprintsOf(lookUpConnection(...sources)).baseUrl;
}

/**
 * Leaves the comparison to the engine, which shows it property by property. Another project or agent is another resource,
 * and a difference in internal properties alone is not a change. It is not asked for a resource that fails, because a record
 * is not replaced by one that fails.
 */
export function diff(olds: Properties, news: Properties): { changes?: false; replaces?: string[] } {
  if (isDeepStrictEqual(comparable(olds), comparable(news))) return { changes: false };
  return { replaces: ["projectId", "agent"].filter((key) => !isUnknown(news[key]) && news[key] !== olds[key]) };
}

/**
 * Returns the outputs of a resource that is created, updated or read again. The time of the read is kept where nothing new
 * was found, because it would be a difference of its own. Neither is it an input, which the engine would compare.
 */
export function outputsOf({ __service: _, ...inputs }: Properties, olds: Properties = {}): Properties {
  const isSame = SETTING_NAMES.every((name) => isDeepStrictEqual(inputs[name] ?? null, olds[name]));
  return { ...inputs, unchangedSince: isSame ? olds["unchangedSince"] : new Date().toISOString() };
}

/** What a read of a record finds; no id means that the project does not exist any more. */
export interface Refreshed {
  readonly id?: string;
  /** None where nothing could be read: the engine then keeps those that are recorded, with the service that they are of. */
  readonly inputs?: Properties;
  readonly outputs: Properties;
  /** What to warn of: an outage, or that there is no such project any more. */
  readonly warning?: Failure | Outage;
}

/**
 * Reads the settings of a resource that the engine knows by its id.
 * @param recorded its outputs in the state; empty in an import, and in each run of `AgentLogConfig.get`
 * @param isAdopted it comes from `get`: the engine compares its outputs, so that a time would be a difference of every run
 * @throws Error why it could not be read
 */
export async function refresh(host: Host, id: string, recorded: Properties, isAdopted: boolean): Promise<Refreshed> {
  const { unchangedSince, ...before } = recorded;
  const isNew = recorded["projectId"] === undefined;
  try {
    const { projectId, agent } = parseAgentLogConfigId(id);
    const result = await host.read({ projectId, agent });
    const inputs = { ...before, projectId, agent, ...recordSettings(result), __service: serviceOf(host) };
    const outputs = outputsOf(inputs, recorded);
    if (isAdopted) return { id: idOf(inputs), inputs: {}, outputs: { ...outputs, unchangedSince: null } };
    return { id: idOf(inputs), inputs, outputs };
  } catch (error) {
    const problem = problemOf(error);
    const { message, code, cause } = problem;
    if (!isNew && saysGone(error)) {
      return { inputs: {}, outputs: {}, warning: { message: `AgentLogConfig ${id} is gone. ${message}`, cause } };
    }
    if (!isNew && mayUseRecord(before, problem)) {
      return { id, outputs: recorded, warning: { message, cause, unchangedSince } };
    }
    const isAdvised = !isNew && CODES[code].connection === true && error instanceof AgentLogConfigError;
    throw isAdvised && host.refreshAdvice !== undefined ? error.advised(host.refreshAdvice) : error;
  }
}

/**
 * Tells whether the service itself says that the project does not exist. A wrong address, a gateway and a service that can't
 * read the id have nothing there either. The contract does not say what becomes of a project: responses and clients of
 * services of this kind do.
 */
function saysGone(error: unknown): boolean {
  return error instanceof AgentLogConfigError && error.status === 404 && error.errorCode === "GROUP_NOT_FOUND";
}

/**
 * The settings that a read must not overwrite, because `ignoreChanges` has put back their recorded values over what the
 * program sent. A reading says which these are; without one nothing else puts settings there. The engine itself keeps a
 * member of a setting.
 */
function keptSettings(olds: Properties, inputs: Properties, reading: unknown): Properties {
  if (olds["projectId"] === undefined) return {};
  const kept = SETTING_NAMES.filter((name) => {
    if (isReading(reading)) return reading.ignored.includes(name);
    return inputs[name] !== undefined && isDeepStrictEqual(inputs[name], olds[name]);
  });
  const settings = Object.fromEntries(kept.map((name) => [name, olds[name] ?? null]));
  // All together they stay those of the service that they were read from.
  return kept.length < SETTING_NAMES.length ? settings : { ...settings, __service: olds["__service"] ?? null };
}

function allSettings(settingOf: (name: string) => unknown): Properties {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, settingOf(name)]));
}

/** What a person may have changed: internal properties, the time of the read and absent values are left out. */
function comparable({ unchangedSince: _, ...properties }: Properties): Properties {
  const compared = Object.entries(properties).filter(([key, value]) => !key.startsWith("__") && value !== null);
  return Object.fromEntries(compared);
}
