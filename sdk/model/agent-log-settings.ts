import { z } from "zod";
import { isPlainObject, type Json, jsonOf } from "../text/json.ts";
import { maybe } from "./parse-argument.ts";
import type { AgentKind } from "./read-arguments.ts";

/** Thresholds for the rotation of an agent's log. */
export interface LogRotate {
  /** Maximum size of a log file in megabytes; may be fractional. */
  readonly sizeThresholdMB: number | undefined;
  /** Maximum age of a log file in hours; may be fractional. */
  readonly timeThresholdHrs: number | undefined;
  // The documentation does not have the others. Responses and clients of services of this kind have them.
  /** Number of log files that are kept uncompressed. */
  readonly numUncompressed: number | undefined;
  /** Share of the disk that all log files may use, from 0 to 1. */
  readonly percentOfDiskspace: number | undefined;
  /** Number of log files that are kept; 0 means no limit. */
  readonly numTotal: number | undefined;
}

/** The log settings of one agent. */
export interface AgentLogSettings {
  /** Absolute path of the agent's log file; undefined if it is not set. Without a path the agent writes to standard error. */
  readonly logPath: string | undefined;
  /** Path of the agent's log file on Windows hosts, usually with `%SystemDrive%`; undefined if it is not set. */
  readonly logPathWindows: string | undefined;
  /** Thresholds for the rotation of the agent's log; without members if none is set. */
  readonly logRotate: LogRotate;
  /** Database user that manages the agent's logs, or an X.509 subject; undefined if it is not set. */
  readonly username: string | undefined;
  /**
   * Settings that differ from those of the agent itself; without members if there are none. They may contain credentials: treat them
   * as a secret.
   */
  readonly configOverrides: Readonly<Record<string, unknown>>;
}

/** The version that the service reports. A part that can't be read is undefined. */
export interface ServiceVersion {
  /** The commit that the service was built from, usually 40 hexadecimal digits. */
  readonly gitHash: string | undefined;
  /** The release of the service, such as `7.0.11.100.20260115T1200Z`. */
  readonly versionString: string | undefined;
}

/** The log settings of one agent of one project. */
export interface AgentLogConfigResult extends AgentLogSettings {
  /** The id of the settings, `<projectId>/<agent>`. */
  readonly id: string;
  /** The project's id as it was given, 24 hexadecimal digits. */
  readonly projectId: string;
  /** The agent that the settings belong to. */
  readonly agent: AgentKind;
  /** The version of the service; undefined if the service does not report it. */
  readonly serviceVersion: ServiceVersion | undefined;
}

const textSchema = maybe(z.string("must be a string"));
const numberSchema = maybe(z.number("must be a number"));

export const logRotateSchema = z.object(
  {
    sizeThresholdMB: numberSchema,
    timeThresholdHrs: numberSchema,
    numUncompressed: numberSchema,
    percentOfDiskspace: numberSchema,
    numTotal: numberSchema,
  },
  "must be an object",
) satisfies z.ZodType<LogRotate>;

export const agentLogSettingsSchema = z.object(
  {
    logPath: textSchema,
    logPathWindows: textSchema,
    logRotate: logRotateSchema,
    username: textSchema,
    // z.record would drop the key __proto__ in silence.
    configOverrides: z.custom<Readonly<Record<string, unknown>>>(isPlainObject, "must be an object"),
  },
  "must be an object",
) satisfies z.ZodType<AgentLogSettings>;

/** The setting that is a secret, in the state, in functions, in messages and in the plugin. */
export const SECRET_SETTING = "configOverrides" satisfies keyof AgentLogSettings;

export type SettingName = keyof AgentLogSettings;

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(agentLogSettingsSchema.shape, name);
}

export const SETTING_NAMES = Object.keys(agentLogSettingsSchema.shape).filter(isSettingName);

/**
 * The settings as they are recorded. A setting that the service does not have is empty, because the SDKs of other languages take null
 * for unknown. A mark of the engine says that a setting is not known yet in a preview. Any other JSON may be there too, because a state may
 * have been edited, and a policy may change inputs.
 */
export type RecordedSettings = { readonly [Name in keyof AgentLogSettings]?: Json };

/** What stands in a record for a setting that the service does not have. */
const EMPTY: Required<RecordedSettings> = {
  logPath: "",
  logPathWindows: "",
  logRotate: {},
  username: "",
  configOverrides: {},
};

/** Returns all settings as they are recorded. */
export function recordedSettingsOf(settings: Partial<AgentLogSettings> | RecordedSettings): RecordedSettings {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, jsonOf(settings[name] ?? EMPTY[name])]));
}
