import { isDeepStrictEqual } from "node:util";
import { idOf, parseAgentLogConfigId } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { SETTING_NAMES } from "../client/agent-log-settings.ts";
import { CODES } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { lookUpConnection, type SettingsSource } from "../shared/connection-settings.ts";
import { describeOutage, type Failure, failure, type ToldOutages } from "../shared/describe-failures.ts";
import { isUnknown, UNKNOWN } from "../shared/engine-marks.ts";
import { type ReadGates, readSettings } from "../shared/read-settings.ts";
import {
  belongsTo,
  fingerprintsOf,
  isReading,
  type Problem,
  problemOf,
  type Reading,
  recordSettings,
} from "../shared/reading.ts";

/** What the engine gives to a provider, and what the provider tells the user through it. */
export interface Engine {
  /** The places that the connection settings come from before the environment, the first one first. */
  readonly sources: readonly SettingsSource[];
  /** What it remembers of its connections; those of the process where it is left out. */
  readonly gates?: ReadGates;
  /** Shows a warning. */
  warn(message: string): void;
  /** The outages of which it has told in this run. */
  readonly toldOutages: ToldOutages;
  /** Reads the settings of a resource; where it returns undefined, they are read with the connection of the sources. */
  read?(args: Properties): Promise<AgentLogConfigResult> | undefined;
}

/** The properties of a resource as plain JSON. Names that begin with two underscores are internal. */
export type Properties = Readonly<Record<string, unknown>>;

/** The inputs to record, and one sentence for each reason why the resource fails. */
export interface CheckResult {
  /** Where the resource fails, the settings are the recorded ones as far as there are any. */
  readonly inputs: Properties;
  /** What is wrong with the arguments; then nothing was read. */
  readonly malformed: readonly string[];
  /** Why there are no settings, or which are not as expected. */
  readonly failures: readonly Failure[];
  /** The outage in which the recorded settings are used, unless the program tells of it. */
  readonly outage?: Problem;
}

/**
 * Completes the inputs of a resource with its settings: those that the program has read if they belong to this record, and
 * otherwise those that are read now, with the engine's connection.
 * @param secrets the settings that no message may quote
 */
export async function check(
  engine: Engine,
  olds: Properties,
  { __reading: reading, ...args }: Properties,
  secrets: readonly string[],
): Promise<CheckResult> {
  const belongs = isReading(reading) && belongsTo(reading, args, engine.sources);
  const inputs: Properties = { ...args, __service: belongs ? reading.fingerprints.baseUrl : serviceOf(engine) };
  const malformed = await malformedArguments(args, belongs);
  // A reading is unknown in a preview where the read waits for something that is still to be created.
  if (malformed.length > 0 || isUnknown(reading)) return { inputs, malformed, failures: [] };
  if (isUnknown(args["projectId"]) || isUnknown(args["agent"])) {
    return { inputs: { ...inputs, ...allSettings(() => UNKNOWN) }, malformed, failures: [] };
  }
  if (belongs) return verify(reading, olds, inputs, secrets);
  const kept = keptSettings(olds, args, reading);
  const { settings, problem } = await read(engine, args, olds, kept);
  const found = settle(olds, { ...inputs, ...settings }, problem);
  const result = await judge(found, isReading(reading) ? reading.others : [], secrets, engine.warn);
  return found.outage === undefined ? result : { ...result, outage: found.outage };
}

/** Checks a resource for which the program has read. It shows the warnings itself, those about an outage too. */
function verify({ problem, others }: Reading, olds: Properties, inputs: Properties, secrets: readonly string[]) {
  return judge(settle(olds, inputs, problem), others, secrets);
}

/** What is to be recorded. */
interface Found {
  readonly recorded: Properties;
  /** Why the resource fails, if it fails without a read. */
  readonly why?: Failure;
  /** The outage in which the recorded settings are used. */
  readonly outage?: Problem;
}

/**
 * Judges the settings that were found.
 * @param others the failures of other resources, which are reported if this one fails
 */
async function judge(
  { recorded, why }: Found,
  others: readonly string[],
  secrets: readonly string[],
  warn: (message: string) => void = () => {},
): Promise<CheckResult> {
  const unmet = why === undefined ? await unmetExpectations(recorded, secrets) : [];
  const isWarning = recorded["whenUnexpected"] === "warn";
  if (isWarning) for (const { sentence } of unmet) warn(sentence);
  const own = why !== undefined ? [why] : isWarning ? [] : unmet;
  return { inputs: recorded, malformed: [], failures: own.length === 0 ? [] : [...own, ...others.map(failure)] };
}

async function unmetExpectations(recorded: Properties, secrets: readonly string[]): Promise<readonly Failure[]> {
  const { expect } = recorded;
  if (expect == null) return [];
  const { unmetExpectations } = await import("../shared/unmet-expectations.ts");
  // With --diff the engine shows a message of a plugin, and a warning, without the name of its resource.
  const name = `AgentLogConfig ${idOf(recorded)}`;
  return unmetExpectations(expect, recorded, secrets).map((cause) => ({ sentence: `${name}: ${cause}`, cause }));
}

/** @param isRead the program has read with these arguments, and so has checked which project and agent they name */
async function malformedArguments(inputs: Properties, isRead: boolean): Promise<readonly string[]> {
  const given = Object.keys(inputs).filter((name) => inputs[name] != null && !name.startsWith("__"));
  if (isRead && given.every((name) => ["projectId", "agent", ...SETTING_NAMES].includes(name))) return [];
  // What needs zod is loaded only where it is used, because it takes as long as all the rest of a provider.
  const { malformedArguments } = await import("../shared/resource-arguments.ts");
  return malformedArguments(inputs);
}

/**
 * A fingerprint of the service's address, which may be a secret of the stack. It is recorded, so that an outage makes use of
 * a record of the same service alone.
 */
function serviceOf({ sources }: Engine): string | null {
  return fingerprintsOf(lookUpConnection(...sources)).baseUrl;
}

/**
 * Leaves the comparison to the engine, which shows it property by property. Another project or agent is another resource,
 * and a difference in internal properties alone is not a change.
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
}

/**
 * Why the engine reads a record: it is new to the state, in an import or by `AgentLogConfig.get`; it was adopted by
 * `AgentLogConfig.get` before, so that it has no inputs, and the engine compares its outputs; or a program made it.
 */
export type RecordKind = "new" | "adopted" | "made";

/**
 * Reads the settings of a resource that the engine knows by its id.
 * @param recorded its outputs in the state; empty where it is new
 * @throws Error with the sentence to show, and as its cause why the read failed
 */
export async function readRecord(
  engine: Engine,
  id: string,
  recorded: Properties,
  kind: RecordKind,
): Promise<FoundRecord> {
  // The plugin's outputs have the time under a second name, which is not an input either.
  const { __unchangedSince: unchangedSince, unchangedSince: _, ...before } = recorded;
  try {
    const { projectId, agent } = parseAgentLogConfigId(id);
    const result = await readSettings(lookUpConnection(...engine.sources), { projectId, agent }, engine.gates);
    const inputs = { ...before, projectId, agent, ...recordSettings(result), __service: serviceOf(engine) };
    const outputs = outputsOf(inputs, recorded);
    return { id: idOf({ projectId, agent }), inputs: kind === "adopted" ? {} : inputs, outputs };
  } catch (error) {
    const { message, temporary, code, cause } = problemOf(error);
    if (kind === "new") throw new Error(message, { cause: error });
    // Only the service's own GROUP_NOT_FOUND counts, since a wrong address has nothing at this path either. The
    // contract does not say what becomes of a project: responses and clients of services of this kind do.
    if (code === "ERR_PROJECT_NOT_FOUND") {
      engine.warn(`A refresh removes AgentLogConfig ${id} from the state. ${message}`);
      return { inputs: {}, outputs: {} };
    }
    if (!temporary || before["whenUnavailable"] !== "useRecorded") {
      throw new Error(CODES[code].connection ? `${message} ${ADVICE_ON_CONNECTION}` : message, { cause: error });
    }
    engine.warn(describeOutage(id, { unchangedSince, reason: message, cause }, engine.toldOutages));
    return { id, outputs: recorded };
  }
}

const ADVICE_ON_CONNECTION =
  "If this refresh ran without --run-program, it used the connection that the last `pulumi up` recorded; after a change of the connection run `pulumi up`, or `pulumi refresh --run-program`.";

/** Reads the settings, except those to keep. Nothing is read if all of them are kept whole. */
async function read(
  engine: Engine,
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
    const reading = engine.read?.(args) ?? readSettings(lookUpConnection(...engine.sources), args, engine.gates);
    const found = recordSettings(await reading);
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

/** Takes the recorded settings if nothing could be read: they are used in an outage if they may be. */
function settle(olds: Properties, inputs: Properties, problem: Problem | null): Found {
  if (problem === null) return { recorded: inputs };
  const { message, temporary, cause } = problem;
  const isRecorded = ["projectId", "agent"].every((name) => olds[name] === inputs[name]);
  const recorded = isRecorded ? { ...inputs, ...allSettings((name) => olds[name] ?? null) } : inputs;
  if (!temporary || inputs["whenUnavailable"] !== "useRecorded" || !isRecorded) {
    return { recorded, why: { sentence: message, cause } };
  }
  if ((olds["__service"] ?? inputs["__service"]) === inputs["__service"]) return { recorded, outage: problem };
  const why = "The recorded settings are those of another service, so that they are not used.";
  return { recorded, why: { sentence: `${message} ${why}`, cause: `${cause} ${why}` } };
}

function allSettings(settingOf: (name: string) => unknown): Properties {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, settingOf(name)]));
}

/** What a person may have changed: internal properties and absent values are left out. */
function comparable(properties: Properties): Properties {
  const compared = Object.entries(properties).filter(([key, value]) => !key.startsWith("__") && value !== null);
  return Object.fromEntries(compared);
}
