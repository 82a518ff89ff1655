import { isDeepStrictEqual } from "node:util";
import { idOf, parseAgentLogConfigId } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { SETTING_NAMES } from "../client/agent-log-settings.ts";
import { CODES } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { lookUpConnection, type SettingsSource } from "../shared/connection-settings.ts";
import { isUnknown, UNKNOWN } from "../shared/engine-marks.ts";
import type { Failure, Outage } from "../shared/failure-report.ts";
import { belongsTo, fingerprintsOf, isReading, type Problem, problemOf, recordSettings } from "../shared/reading.ts";
import { judge, refuse, type Verdict } from "../shared/verdict.ts";

/** What the engine gives to a provider for one resource. */
export interface Host {
  /** The places that the connection settings come from before the environment, the first one first. */
  readonly sources: readonly SettingsSource[];
  /** What an earlier check of the same resource was given as its record in this run. */
  readonly record?: Properties | undefined;
  /** What to say first where a refresh fails for its connection; undefined where there is nothing to say. */
  readonly refreshAdvice?: string | undefined;
  /** Reads settings with the connection of the sources. */
  read(args: Properties): Promise<AgentLogConfigResult>;
}

/** The properties of a resource as plain JSON. Names that begin with two underscores are internal. */
export type Properties = Readonly<Record<string, unknown>>;

/** What a check has found. */
export interface Checked extends Verdict {
  /** What is to be recorded. Where the resource fails, the settings are the recorded ones as far as there are any. */
  readonly inputs: Properties;
  /** Why the recorded settings are used. */
  readonly outage?: Problem | undefined;
}

/**
 * Completes the inputs of a resource with its settings: those that the program has read if they belong to this record, and
 * otherwise those that are read now, with the engine's connection. Then it judges them, because only now nothing changes
 * the inputs any more.
 * @param secrets the arguments and settings that no message may quote
 */
export async function check(
  host: Host,
  olds: Properties,
  { __reading: reading, ...args }: Properties,
  secrets: readonly string[],
): Promise<Checked> {
  const belongs = isReading(reading) && belongsTo(reading, args, host.sources);
  const inputs: Properties = { ...args, __service: belongs ? reading.fingerprints.baseUrl : serviceOf(host) };
  const refusals = await refusalsOf(args, belongs && reading.problem === null, secrets);
  // A reading is unknown in a preview where the read waits for something that is still to be created.
  if (refusals.length > 0 || isUnknown(reading)) return { inputs, failures: refusals, warnings: [] };
  if (isUnknown(args["projectId"]) || isUnknown(args["agent"])) {
    return { inputs: { ...inputs, ...allSettings(() => UNKNOWN) }, failures: [], warnings: [] };
  }
  const kept = keptSettings(olds, args, reading);
  const { settings, problem } = belongs
    ? { settings: {}, problem: reading.problem }
    : await read(host, args, olds, kept);
  const found = { ...inputs, ...settings };
  // A replacement is checked twice, the second time without its record.
  const record = olds["projectId"] === undefined ? (host.record ?? olds) : olds;
  if (problem !== null) return useRecorded(record, found, problem, secrets);
  return { inputs: found, ...(await judge(found, secrets)) };
}

/** Uses the recorded settings, if they may be used for what could not be read. */
async function useRecorded(
  record: Properties,
  inputs: Properties,
  problem: Problem,
  secrets: readonly string[],
): Promise<Checked> {
  const isOwn = ["projectId", "agent"].every((name) => record[name] === inputs[name]);
  const found = isOwn ? { ...inputs, ...allSettings((name) => record[name] ?? null) } : inputs;
  const mayUse = problem.temporary && inputs["whenUnavailable"] === "useRecorded" && isOwn;
  if (!mayUse) return { inputs: found, failures: [problem], warnings: [] };
  if ((record["__service"] ?? inputs["__service"]) === inputs["__service"]) {
    return { inputs: found, outage: problem, ...(await judge(found, secrets)) };
  }
  const why = "The recorded settings come from another service, so they are not used.";
  const failure = { message: `${problem.message} ${why}`, cause: `${problem.cause} ${why}` };
  return { inputs: found, failures: [failure], warnings: [] };
}

/** @param isRead the program has read with these arguments, and so has checked which project and agent they name */
async function refusalsOf(
  inputs: Properties,
  isRead: boolean,
  secrets: readonly string[],
): Promise<readonly Failure[]> {
  const given = Object.keys(inputs).filter((name) => inputs[name] != null && !name.startsWith("__"));
  if (isRead && given.every((name) => ["projectId", "agent", ...SETTING_NAMES].includes(name))) return [];
  return refuse(inputs, secrets);
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
  return { ...inputs, __unchangedSince: isSame ? olds["__unchangedSince"] : new Date().toISOString() };
}

/** What a read of a record finds; no id means that the project does not exist any more. */
export interface FoundRecord {
  readonly id?: string;
  /** None where nothing could be read: the engine then keeps those that are recorded, with the service that they are of. */
  readonly inputs?: Properties;
  readonly outputs: Properties;
  /** What to warn of: an outage, or that there is no such project any more. */
  readonly warning?: Failure | Outage;
}

/**
 * Why the engine reads a record: it is new to the state, in an import or by `AgentLogConfig.get`; it was adopted by
 * `AgentLogConfig.get` before, so that it has no inputs, and the engine compares its outputs; or a program made it.
 */
export type RecordKind = "new" | "adopted" | "made";

/**
 * Reads the settings of a resource that the engine knows by its id.
 * @param recorded its outputs in the state; empty where it is new
 * @throws Error why it could not be read
 */
export async function readRecord(host: Host, id: string, recorded: Properties, kind: RecordKind): Promise<FoundRecord> {
  // The plugin's outputs have the time under a second name, which is not an input either.
  const { __unchangedSince: unchangedSince, unchangedSince: _, ...before } = recorded;
  try {
    const { projectId, agent } = parseAgentLogConfigId(id);
    const result = await host.read({ projectId, agent });
    const inputs = { ...before, projectId, agent, ...recordSettings(result), __service: serviceOf(host) };
    const outputs = outputsOf(inputs, recorded);
    return { id: idOf({ projectId, agent }), inputs: kind === "adopted" ? {} : inputs, outputs };
  } catch (error) {
    const { message, temporary, code, cause } = problemOf(error);
    // Only the service's own GROUP_NOT_FOUND counts, since a wrong address has nothing at this path either. The
    // contract does not say what becomes of a project: responses and clients of services of this kind do.
    if (kind !== "new" && code === "ERR_PROJECT_NOT_FOUND") {
      return { inputs: {}, outputs: {}, warning: { message: `AgentLogConfig ${id} is gone. ${message}`, cause } };
    }
    if (kind !== "new" && temporary && before["whenUnavailable"] === "useRecorded") {
      return { id, outputs: recorded, warning: { message, cause, unchangedSince } };
    }
    if (kind !== "new" && CODES[code].connection && error instanceof Error && host.refreshAdvice !== undefined) {
      error.message = `${host.refreshAdvice} ${message}`;
    }
    throw error;
  }
}

/** Reads the settings, except those to keep. Nothing is read if all of them are kept whole. */
async function read(
  host: Host,
  { projectId, agent }: Properties,
  olds: Properties,
  kept: Properties,
): Promise<{ readonly settings: Properties; readonly problem: Problem | null }> {
  if (SETTING_NAMES.every((name) => isDeepStrictEqual(kept[name], olds[name] ?? null))) {
    // They stay those of the service that they were read from.
    return { settings: { ...kept, __service: olds["__service"] ?? null }, problem: null };
  }
  const args = { projectId, agent };
  try {
    const found = recordSettings(await host.read(args));
    const merged = Object.entries(kept).map(([name, value]) => {
      const whole = found[name];
      // What equals the record is kept as it is: a member can't be told from a whole that has no other.
      const isPart = isObject(value) && isObject(whole) && !isDeepStrictEqual(value, olds[name]);
      return [name, isPart ? { ...whole, ...value } : value];
    });
    return { settings: { ...found, ...Object.fromEntries(merged) }, problem: null };
  } catch (error) {
    return { settings: {}, problem: problemOf(error) };
  }
}

/**
 * The settings, whole or in part, that a read must not overwrite, because `ignoreChanges` has put their recorded values in
 * the place of what the program sent. A reading says which these are; without one nothing else puts settings there.
 */
function keptSettings(olds: Properties, inputs: Properties, reading: unknown): Properties {
  if (olds["projectId"] === undefined) return {};
  const kept = SETTING_NAMES.flatMap((name): [string, unknown][] => {
    if (!isReading(reading)) return isPartOf(inputs[name], olds[name]) ? [[name, inputs[name]]] : [];
    if (reading.ignored.includes(name)) return [[name, olds[name] ?? null]];
    const [inside] = [olds[name]].filter(isObject);
    const members = Object.entries(inside ?? {}).filter(([member]) => reading.ignored.includes(`${name}.${member}`));
    return members.length > 0 ? [[name, Object.fromEntries(members)]] : [];
  });
  return Object.fromEntries(kept);
}

function isPartOf(part: unknown, whole: unknown): boolean {
  if (isDeepStrictEqual(part, whole)) return part !== undefined;
  if (!isObject(part) || !isObject(whole)) return false;
  return Object.entries(part).every(([name, value]) => isDeepStrictEqual(value, whole[name]));
}

function allSettings(settingOf: (name: string) => unknown): Properties {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, settingOf(name)]));
}

/** What a person may have changed: internal properties and absent values are left out. */
function comparable(properties: Properties): Properties {
  const compared = Object.entries(properties).filter(([key, value]) => !key.startsWith("__") && value !== null);
  return Object.fromEntries(compared);
}
