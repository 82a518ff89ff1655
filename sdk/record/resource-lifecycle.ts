import { isDeepStrictEqual } from "node:util";
import { isUnknown } from "../engine/engine-marks.ts";
import { idOf, parseAgentLogConfigId } from "../model/agent-log-config-id.ts";
import { SETTING_NAMES } from "../model/agent-log-settings.ts";
import { AgentLogConfigError, CODES } from "../model/errors.ts";
import { isObject } from "../model/is-object.ts";
import {
  type Completed,
  completeInputs,
  type Host,
  judge,
  mayUseRecord,
  type Properties,
  serviceOf,
} from "./complete-inputs.ts";
import { type Finding, failureOf, failureOfRecord } from "./finding-report.ts";
import { isReadForItself, READ_FOR, readForOf, recordedSettingsOf } from "./settings-origin.ts";

/** What a comparison with the record has found. */
export interface Difference {
  /** True for an update, false for none; undefined leaves the comparison to the engine. */
  readonly changes?: boolean;
  /** The properties because of which the record is replaced. */
  readonly replaces?: readonly string[];
  readonly warnings: readonly Finding[];
}

/** What a read of a record finds; no id means that the project does not exist any more. */
export interface Refreshed {
  readonly id?: string;
  /** None where nothing could be read: the engine then keeps those that are recorded, with the service that they are of. */
  readonly inputs?: Properties;
  readonly outputs: Properties;
  /** What to warn of: an outage, or that there is no such project any more. */
  readonly warning?: Finding;
}

/**
 * The life of the resources of one run. For each, the engine asks for a check, then for the difference if there is a record, and
 * then to create or update it if it differs; in a refresh it asks to read, and then for the difference alone.
 *
 * The engine ends its work at a check that fails, also where it is asked to go on after errors. So a check completes the inputs
 * of a resource that fails, with the reasons among them: its difference is an update, and to create or update it fails.
 */
export class ResourceLifecycle {
  /** The outages because of which records are used, by id. Only the outputs have their age, and a check does not see them. */
  readonly #outages = new Map<string, Finding>();

  /** Completes and judges the inputs of a resource. Its parameters are those of {@link completeInputs}. */
  async check(...asked: Parameters<typeof completeInputs>): Promise<Completed> {
    const completed = await completeInputs(...asked);
    const { inputs, failures, outage } = completed;
    if (outage !== undefined) this.#outages.set(idOf(inputs), outage);
    if (failures.length === 0) return completed;
    const reasons = failures.map(({ cause, message, isUnsent }) => ({ cause, message, ...(isUnsent && { isUnsent }) }));
    return { ...completed, inputs: { ...inputs, [FAILURES]: reasons } };
  }

  /**
   * Leaves the comparison to the engine, which shows it property by property. Another project or agent is another resource, and a
   * difference in internal properties alone is not a change, except in who manages the record: only a program in TypeScript has its
   * provider in it.
   * @param inputs those in the state; its outputs where these are not known
   */
  diff(id: string, outputs: Properties, inputs: Properties, news: Properties): Difference {
    const outage = this.#outages.get(id);
    this.#outages.delete(id);
    const record = { unchangedSince: outputs["unchangedSince"] };
    const warnings = outage === undefined ? [] : [{ ...outage, record }];
    // A record is not replaced by one that fails.
    if (failuresOf(news).length > 0) return { changes: true, warnings };
    if (isDeepStrictEqual(comparable(inputs), comparable(news))) {
      return { changes: "__provider" in outputs !== "__provider" in news, warnings };
    }
    const replaces = ["projectId", "agent"].filter((key) => !isUnknown(news[key]) && news[key] !== inputs[key]);
    return { replaces, warnings };
  }

  /**
   * Returns the outputs of a resource that is created or updated. The service is never changed. A policy may have changed the inputs
   * since they were checked.
   * @param olds its outputs in the state; empty for a new one
   * @throws Error why it fails
   */
  record(news: Properties, olds: Properties = {}): Properties {
    const messages = failuresOf(news).map(({ message }) => message);
    if (messages.length > 0) throw new Error(messages.join("\n"));
    return outputsOf(news, olds);
  }

  /**
   * Reads the settings of a resource that the engine knows by its id.
   * @param recorded its outputs in the state; empty in an import, and in each run of `AgentLogConfig.get`
   * @param isAdopted it comes from `get`: the engine compares its outputs, so that a time would be a difference of every run
   * @throws Error why it could not be read
   */
  async read(host: Host, id: string, recorded: Properties, isAdopted: boolean): Promise<Refreshed> {
    const { unchangedSince, ...before } = recorded;
    const isNew = recorded["projectId"] === undefined;
    try {
      const { projectId, agent } = parseAgentLogConfigId(id);
      const result = await host.read({ projectId, agent });
      const readFor = readForOf({ projectId, agent }, serviceOf(host));
      const inputs = { ...before, projectId, agent, ...recordedSettingsOf(result), [READ_FOR]: readFor };
      const outputs = outputsOf(inputs, recorded);
      if (isAdopted) return { id: idOf(inputs), inputs: {}, outputs: { ...outputs, unchangedSince: null } };
      return { id: idOf(inputs), inputs, outputs };
    } catch (error) {
      const failure = failureOf(error);
      if (!isNew && saysGone(error)) return { inputs: {}, outputs: {}, warning: { ...failure, record: "gone" } };
      if (!isNew && mayUseRecord(before, failure)) {
        return { id, outputs: recorded, warning: { ...failure, record: { unchangedSince } } };
      }
      const isAdvised = !isNew && error instanceof AgentLogConfigError && CODES[error.code].connection === true;
      throw isAdvised && host.refreshAdvice !== undefined ? error.advised(host.refreshAdvice) : error;
    }
  }
}

/** The input that has the reasons of a resource that fails: a list of {@link Finding}. */
const FAILURES = "__failures";

/** Returns why a resource with these inputs is not recorded: what its check has found, or else what has changed since. */
export function failuresOf(inputs: Properties): readonly Finding[] {
  const found = failuresIn(inputs[FAILURES]);
  if (found.length > 0 || isUnknown(inputs[READ_FOR])) return found;
  if (!isReadForItself(inputs)) return [failureOfRecord(inputs, CHANGED_SINCE)];
  // What is secret is known to the check alone.
  return judge(inputs, SETTING_NAMES).failures;
}

const CHANGED_SINCE =
  "its settings were not read for this project and agent, because a policy has changed its properties after the read; change them in the program instead.";

/** Returns the reasons in that input, or in the output that a preview makes of it. */
export function failuresIn(reasons: unknown): readonly Finding[] {
  const found: readonly unknown[] = Array.isArray(reasons) ? reasons : [];
  return found.filter(isObject).map(({ cause, message, isUnsent }) => {
    return { cause: String(cause), message: String(message), isUnsent: isUnsent === true };
  });
}

/**
 * Returns the outputs of a resource that is recorded or read again. The time of the read is kept where nothing new was found,
 * because it would be a difference of its own. Neither is it an input, which the engine would compare.
 */
export function outputsOf({ [READ_FOR]: _, [FAILURES]: __, ...inputs }: Properties, olds: Properties): Properties {
  const isSame = SETTING_NAMES.every((name) => isDeepStrictEqual(inputs[name] ?? null, olds[name]));
  return { ...inputs, unchangedSince: isSame ? olds["unchangedSince"] : new Date().toISOString() };
}

/**
 * Tells whether the service itself says that the project does not exist. A wrong address, a gateway and a service that can't
 * read the id have nothing there either. The contract does not say what becomes of a project: responses and clients of
 * services of this kind do.
 */
function saysGone(error: unknown): boolean {
  return error instanceof AgentLogConfigError && error.status === 404 && error.errorCode === "GROUP_NOT_FOUND";
}

/** What a person may have changed: internal properties, the time of the read and absent values are left out. */
function comparable({ unchangedSince: _, ...properties }: Properties): Properties {
  const compared = Object.entries(properties).filter(([key, value]) => !key.startsWith("__") && value !== null);
  return Object.fromEntries(compared);
}
