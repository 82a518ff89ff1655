import { UNKNOWN } from "../engine/engine-marks.ts";
import { isSettingName } from "../model/agent-log-settings.ts";
import { isObject } from "../model/is-object.ts";
import { jsonMapOf } from "../model/json.ts";
import type { Finding } from "./finding-report.ts";
import { type RecordedSettings, UNKNOWN_SETTINGS } from "./recorded-settings.ts";
import type { GivenArguments } from "./resource-arguments.ts";
import { originIn, type SettingsOrigin } from "./settings-origin.ts";

/** The inputs or the outputs of a resource. */
export interface ResourceRecord {
  /** What the program has passed, valid or not. */
  readonly args: GivenArguments;
  readonly settings: RecordedSettings;
  /** The provider text, which only a program in TypeScript records. */
  readonly provider?: string | null | undefined;
  /** Where the settings come from that a program sends; {@link UNKNOWN} in a preview as long as it has not read them. */
  readonly origin?: SettingsOrigin | typeof UNKNOWN | undefined;
  /**
   * What the settings were read for, as `readForOf` says it, or {@link UNKNOWN}. It is an input alone. It is recorded, so that an outage
   * makes use of a record of the same service alone, and nothing is recorded that was read for something else.
   */
  readonly readFor?: string | null | undefined;
  /** Why its check has failed. It is an input alone. */
  readonly failures?: readonly Finding[];
  /** When its settings were first read. It is an output alone. */
  readonly unchangedSince?: string | null | undefined;
}

/** What stands in a record where there is none. */
export const NO_RECORD: ResourceRecord = { args: {}, settings: {} };

/** What stands in a record in a preview, as long as nothing is known of its settings. */
export const UNREAD = { settings: UNKNOWN_SETTINGS, readFor: UNKNOWN } as const;

/** The properties of a resource as the engine has them. Names that begin with two underscores are internal. */
export type Properties = Readonly<Record<string, unknown>>;

/** Returns the record in the engine's properties. It judges nothing, because a state may have been edited. */
export function asRecord(properties: Properties): ResourceRecord {
  const { __provider, __origin, __readFor, __failures, unchangedSince, ...others } = properties;
  const { args = [], settings = [] } = Object.groupBy(Object.entries(withoutInternal(others)), ([name]) =>
    isSettingName(name) ? "settings" : "args",
  );
  return {
    args: jsonMapOf(Object.fromEntries(args)),
    settings: jsonMapOf(Object.fromEntries(settings)),
    provider: textIn(__provider),
    origin: originIn(__origin),
    readFor: textIn(__readFor),
    failures: failuresIn(__failures),
    unchangedSince: textIn(unchangedSince),
  };
}

/** Returns a record as the engine's properties. An origin is not one of them: it is of one check. */
export function asProperties(record: ResourceRecord): Properties {
  const { args, settings, provider, readFor, failures = [], unchangedSince } = record;
  const reasons = failures.map(({ cause, message, isUnsent }) => ({ cause, message, ...(isUnsent && { isUnsent }) }));
  const internal = { __provider: provider, __readFor: readFor, ...(reasons.length > 0 && { __failures: reasons }) };
  return jsonMapOf({ ...args, ...settings, ...internal, unchangedSince });
}

/** Returns properties without those that are the package's own, which a caller may not send. */
export function withoutInternal(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !name.startsWith("__")));
}

/** Returns the reasons in that input, or in the output that a preview makes of it. */
export function failuresIn(reasons: unknown): readonly Finding[] {
  const found: readonly unknown[] = Array.isArray(reasons) ? reasons : [];
  return found.filter(isObject).map(({ cause, message, isUnsent }) => {
    return { cause: String(cause), message: String(message), isUnsent: isUnsent === true };
  });
}

function textIn(value: unknown): string | null | undefined {
  return value == null ? value : String(value);
}
