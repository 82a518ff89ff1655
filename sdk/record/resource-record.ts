import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import { idOf } from "../model/agent-log-config-id.ts";
import { isSettingName } from "../model/agent-log-settings.ts";
import { jsonMapOf } from "../model/json.ts";
import { type InternalProperties, internalIn, internalProperties, withoutInternal } from "./internal-properties.ts";
import { type RecordedSettings, UNKNOWN_SETTINGS } from "./recorded-settings.ts";
import type { GivenArguments } from "./resource-arguments.ts";
import type { ReadFor } from "./settings-origin.ts";

/** The inputs or the outputs of a resource. */
export interface ResourceRecord extends Omit<InternalProperties, "failsIn" | "isAdopted"> {
  /** What the program has passed, valid or not. */
  readonly args: GivenArguments;
  readonly settings: RecordedSettings;
}

/** What takes the place of a record that does not exist. */
export const NO_RECORD: ResourceRecord = { args: {}, settings: {} };

/** What stands in a record in a preview, as long as nothing is known of its settings. */
export const UNREAD = { settings: UNKNOWN_SETTINGS, readFor: { id: UNKNOWN, service: null } } as const;

/** The properties of a resource as the engine has them. */
export type Properties = Readonly<Record<string, unknown>>;

/** Returns the record in the engine's properties. It judges nothing, because a state may have been edited. */
export function asRecord(properties: Properties): ResourceRecord {
  const { args = [], settings = [] } = Object.groupBy(Object.entries(withoutInternal(properties)), ([name]) =>
    isSettingName(name) ? "settings" : "args",
  );
  const { provider, origin, readFor, failures = [] } = internalIn(properties);
  return {
    args: jsonMapOf(Object.fromEntries(args)),
    settings: jsonMapOf(Object.fromEntries(settings)),
    provider,
    origin,
    readFor,
    failures,
  };
}

/** Returns a record as the engine's properties. An origin is left out, because it is for one check only. */
export function asProperties({ args, settings, origin: _, ...internal }: ResourceRecord): Properties {
  return jsonMapOf({ ...args, ...settings, ...internalProperties(internal) });
}

/** Returns what the settings of a record were read for. A state that does not say so may have been edited, or be of an older version. */
export function readForIn({ args, readFor }: ResourceRecord): ReadFor {
  const id = idOf(args);
  return readFor?.id === id ? readFor : { id, service: null };
}

/** Tells whether the settings of a record may come from a service, as far as its state says. */
export function mayBeOfService(record: ResourceRecord, service: ReadFor["service"]): boolean {
  const recordedService = readForIn(record).service;
  return recordedService === null || recordedService === service;
}

/** Returns which arguments name another project or agent than the record; what is not known yet may be the same. */
export function movedArguments({ args: recordArgs }: ResourceRecord, { args }: ResourceRecord): readonly string[] {
  return ["projectId", "agent"].filter((name) => !isUnknown(args[name]) && args[name] !== recordArgs[name]);
}

/** Tells whether there is a record, and the inputs name another project or agent. */
export function isMoved(record: ResourceRecord, inputs: ResourceRecord): boolean {
  return record.args.projectId !== undefined && movedArguments(record, inputs).length > 0;
}

/** Tells whether a record is of the project and the agent that the inputs name. */
export function isRecordOf(record: ResourceRecord, inputs: ResourceRecord): boolean {
  return record.args.projectId === inputs.args.projectId && record.args.agent === inputs.args.agent;
}
