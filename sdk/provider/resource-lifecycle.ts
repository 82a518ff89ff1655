import { isDeepStrictEqual } from "node:util";
import { agentLogConfigId, parseAgentLogConfigId } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigErrorCode } from "../client/errors.ts";
import { printable } from "../client/printable.ts";
import { lookUpConnection, type ReadConfiguration } from "../shared/connection-settings.ts";
import { describeOutage } from "../shared/describe-outage.ts";
import { UNKNOWN } from "../shared/engine-marks.ts";
import { readSettings } from "../shared/read-settings.ts";
import { belongsTo, fingerprintsOf, isReading, type Problem, problemOf } from "../shared/reading.ts";
import { recordSettings, SETTING_NAMES } from "../shared/recorded-settings.ts";
import { unmetExpectations } from "../shared/unmet-expectations.ts";

/** What the engine gives to a provider, and what the provider tells the user through it. */
export interface Engine {
  /** The stack's configuration, or that of an explicit Provider. */
  readonly configuration: ReadConfiguration;
  /** Shows a warning. */
  warn(message: string): void;
}

/** The properties of a resource as plain JSON. The engine does not show names that begin with two underscores. */
export type Properties = Readonly<Record<string, unknown>>;

/** The inputs to record, and why the resource fails: one sentence each, none where it does not. */
export interface CheckResult {
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

/**
 * Completes the inputs of a resource with its settings. Uses the settings that the program sent if they belong to
 * this record; otherwise reads them with the engine's connection.
 * @param secrets the settings that no message may quote
 */
export async function check(
  engine: Engine,
  olds: Properties,
  { __reading: travelling, envelope, pretty, ...args }: Properties,
  secrets: readonly string[],
): Promise<CheckResult> {
  const inputs = withService(engine, args);
  const refused = argumentProblems(inputs);
  if (refused.length > 0) return { inputs, failures: refused };
  // It is unknown in a preview where the read waits for something that is still to be created.
  if (travelling === UNKNOWN) return { inputs, failures: [] };
  if (args["projectId"] === UNKNOWN || args["agent"] === UNKNOWN) return { inputs: unknown(inputs), failures: [] };
  const belongs = isReading(travelling) && belongsTo(travelling, args, engine.configuration);
  const { problem, settings } = belongs
    ? { problem: travelling.problem, settings: {} }
    : await read(engine, { ...args, envelope, pretty }, secrets);
  const recorded = problem === null ? { ...inputs, ...settings } : recordedBefore(olds, inputs, problem);
  const others = belongs ? travelling.others : [];
  if (recorded === undefined) return { inputs, failures: [problem?.reason ?? "", ...others] };
  const unmet = unmetExpectations(inputs["expect"], recorded, secrets);
  // The program itself shows the warnings about settings that it has read.
  if (!belongs && problem !== null) engine.warn(describeOutage(idOf(recorded), undefined, problem.reason));
  if (!belongs && inputs["whenUnexpected"] === "warn") for (const sentence of unmet) engine.warn(sentence);
  const failures = unmet.length === 0 || inputs["whenUnexpected"] === "warn" ? [] : [...unmet, ...others];
  return { inputs: recorded, failures };
}

/**
 * Adds a fingerprint of the service's address, which may be a secret of the stack, where an outage may make use of the record:
 * it has to be one of the same service.
 */
function withService({ configuration }: Engine, inputs: Properties): Properties {
  if (inputs["whenUnavailable"] !== "useRecorded") return inputs;
  return { ...inputs, __service: fingerprintsOf(lookUpConnection(configuration)).baseUrl };
}

/**
 * Leaves the comparison to the engine, which shows it property by property. Another project or agent is another resource,
 * and a difference in internal properties alone is not a change.
 */
export function diff(olds: Properties, news: Properties): { changes?: false; replaces?: string[] } {
  if (isDeepStrictEqual(comparable(olds), comparable(news))) return { changes: false };
  return { replaces: ["projectId", "agent"].filter((key) => news[key] !== UNKNOWN && news[key] !== olds[key]) };
}

/**
 * Returns the outputs of a resource that is created or updated. The time of the read is kept where nothing new was found,
 * as in an outage. It is not an input, because the engine would show it as a change.
 */
export function outputsOf(inputs: Properties, olds: Properties = {}): Properties {
  const isSame = SETTING_NAMES.every((name) => isDeepStrictEqual(inputs[name] ?? null, olds[name]));
  return { ...inputs, __lastReadAt: isSame ? olds["__lastReadAt"] : new Date().toISOString() };
}

/** Returns the id of a resource with these inputs. */
export function idOf({ projectId, agent }: Properties): string {
  return `${projectId}/${agent}`;
}

/** What a refresh, an import or `AgentLogConfig.get` finds; no id means that the project does not exist any more. */
export interface Found {
  readonly id?: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/**
 * Reads the settings of a resource that the engine knows by its id.
 * @param recorded its outputs in the state; empty where it is not in the state yet
 * @param isAdopted it was adopted by `AgentLogConfig.get`, so that it has no inputs, and the engine compares its outputs
 * @throws Error with the sentence to show
 */
export async function find(engine: Engine, id: string, recorded: Properties, isAdopted: boolean): Promise<Found> {
  // The plugin's outputs have the time under a second name, which is not an input either.
  const { __lastReadAt: lastReadAt, lastReadAt: _, ...before } = recorded;
  const isNew = recorded["projectId"] === undefined;
  try {
    const { projectId, agent } = parseAgentLogConfigId(id);
    const result = await readSettings(lookUpConnection(engine.configuration), { projectId, agent });
    const inputs = withService(engine, { ...before, projectId, agent, ...recordSettings(result) });
    // A new time alone would be a change of the outputs.
    const outputs = outputsOf(inputs, isAdopted ? recorded : {});
    return { id: agentLogConfigId(projectId, agent), inputs: isAdopted && !isNew ? {} : inputs, outputs };
  } catch (error) {
    const { reason, outage, code } = problemOf(error);
    if (isNew) throw new Error(reason);
    if (code === "ERR_PROJECT_NOT_FOUND") {
      engine.warn(`AgentLogConfig ${id} is removed from the state. ${reason}`);
      return { inputs: {}, outputs: {} };
    }
    const { __service: service } = withService(engine, before);
    if (!outage || !mayUseRecord(before, { ...before, __service: service })) throw new Error(withAdvice(reason, code));
    engine.warn(describeOutage(id, lastReadAt, reason));
    return { id, inputs: isAdopted ? {} : before, outputs: recorded };
  }
}

/** What was read, or why nothing was. */
async function read(engine: Engine, { projectId, agent, ...others }: Properties, secrets: readonly string[]) {
  const args = { projectId, agent, envelope: others["envelope"] ?? undefined, pretty: others["pretty"] ?? undefined };
  const quoteArguments = !secrets.some((name) => name in args);
  try {
    const result = await readSettings(lookUpConnection(engine.configuration), args, quoteArguments);
    return { settings: recordSettings(result), problem: null };
  } catch (error) {
    return { settings: {}, problem: problemOf(error) };
  }
}

/** The settings that are recorded already for the same project, agent and service, where they may be used in an outage. */
function recordedBefore(olds: Properties, inputs: Properties, { outage }: Problem): Properties | undefined {
  if (!outage || !mayUseRecord(olds, inputs)) return undefined;
  const recorded = SETTING_NAMES.map((name) => [name, olds[name] ?? null]);
  return { ...inputs, ...Object.fromEntries(recorded) };
}

function mayUseRecord(olds: Properties, inputs: Properties): boolean {
  const { __service: service = inputs["__service"] } = olds;
  const isSame = ["projectId", "agent"].every((name) => olds[name] === inputs[name]) && service === inputs["__service"];
  return isSame && inputs["whenUnavailable"] === "useRecorded";
}

function unknown(inputs: Properties): Properties {
  return { ...inputs, ...Object.fromEntries(SETTING_NAMES.map((name) => [name, UNKNOWN])) };
}

/** What a person may have changed: internal properties and absent values are left out. */
function comparable(properties: Properties): Properties {
  const compared = Object.entries(properties).filter(([key, value]) => !key.startsWith("__") && value !== null);
  return Object.fromEntries(compared);
}

/** Returns a sentence for each unknown argument and each invalid value. */
function argumentProblems(inputs: Properties): string[] {
  const known: readonly string[] = ["projectId", "agent", "expect", ...Object.keys(CHOICES), ...SETTING_NAMES];
  const unknown = Object.keys(inputs).filter((name) => !known.includes(name) && !name.startsWith("__"));
  const names = `projectId, agent, envelope, pretty, expect, ${Object.keys(CHOICES).join(", ")}`;
  const unknownProblems = unknown.map(
    (name) => `The resource has unknown arguments: ${printable(name, 80)}; the valid ones are ${names}.`,
  );
  const choiceProblems = Object.entries(CHOICES).flatMap(([name, choices]) => {
    const value = inputs[name] ?? UNKNOWN;
    if (value === UNKNOWN || choices.some((choice) => choice === value)) return [];
    const wanted = choices.map((choice) => JSON.stringify(choice)).join(" or ");
    return [`${name} must be ${wanted}, not ${printable(JSON.stringify(value), 80)}.`];
  });
  return [...unknownProblems, ...choiceProblems];
}

/** The allowed values of the arguments that have a fixed set. */
export const CHOICES = { whenUnavailable: ["fail", "useRecorded"], whenUnexpected: ["fail", "warn"] } as const;

function withAdvice(reason: string, code: AgentLogConfigErrorCode): string {
  if (!CONNECTION_CODES.has(code)) return reason;
  return `${reason} A refresh uses the connection that the last \`pulumi up\` recorded: after a change of the connection run \`pulumi up\`, or \`pulumi refresh --run-program\`.`;
}

const CONNECTION_CODES: ReadonlySet<AgentLogConfigErrorCode> = new Set([
  "ERR_CONNECTION",
  "ERR_PROXY",
  "ERR_TLS",
  "ERR_TIMEOUT",
  "ERR_AUTHENTICATION",
  "ERR_WRONG_KEY",
  "ERR_NOT_FOUND",
  "ERR_INVALID_RESPONSE",
]);
