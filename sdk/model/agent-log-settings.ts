import { z } from "zod";
import { maybe } from "./parse-argument.ts";

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

const text = maybe(z.string("must be a string"));
const number = maybe(z.number("must be a number"));

/** What each threshold must be. */
export const logRotateSchema = z.object(
  {
    sizeThresholdMB: number,
    timeThresholdHrs: number,
    numUncompressed: number,
    percentOfDiskspace: number,
    numTotal: number,
  },
  "must be an object",
) satisfies z.ZodType<LogRotate>;

/** What each setting must be. Each of them is a member. */
export const agentLogSettingsSchema = z.object(
  {
    logPath: text,
    logPathWindows: text,
    logRotate: logRotateSchema,
    username: text,
    configOverrides: z.record(z.string(), z.unknown(), "must be an object"),
  },
  "must be an object",
) satisfies z.ZodType<AgentLogSettings>;

/** The setting that is a secret, in the state, in functions, in messages and in the plugin. */
export const SECRET_SETTING = "configOverrides" satisfies keyof AgentLogSettings;

export type SettingName = keyof AgentLogSettings;

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(agentLogSettingsSchema.shape, name);
}

/** The names of all settings. */
export const SETTING_NAMES = Object.keys(agentLogSettingsSchema.shape).filter(isSettingName);
