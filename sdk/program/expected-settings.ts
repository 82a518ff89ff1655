import type * as pulumi from "@pulumi/pulumi";
import type { LogRotate } from "../model/agent-log-settings.ts";

/** The bounds of a number, in the unit of the threshold. An omitted bound sets no limit. */
export interface ExpectedRange {
  /** The smallest accepted value. */
  readonly atLeast?: pulumi.Input<number> | undefined;
  /** The largest accepted value. */
  readonly atMost?: pulumi.Input<number> | undefined;
}

/** Thresholds as they should be, each in the unit of {@link LogRotate}. */
export type ExpectedLogRotate = {
  readonly [Name in keyof LogRotate]?: pulumi.Input<number | ExpectedRange> | undefined;
};

/**
 * Settings as they should be, at least one: a string, a number or a range of numbers, and a list of the settings that must
 * not be set. A setting that is left out may have any value. If an expected value is a secret, no message quotes it.
 */
export interface ExpectedSettings {
  /** The path of the log file. */
  readonly logPath?: pulumi.Input<string> | undefined;
  /** The path of the log file on Windows hosts. */
  readonly logPathWindows?: pulumi.Input<string> | undefined;
  /** Thresholds for the rotation of the log. */
  readonly logRotate?: pulumi.Input<ExpectedLogRotate> | undefined;
  /** The database user that manages the logs. */
  readonly username?: pulumi.Input<string> | undefined;
  /** The settings that must not be set, each by its path, such as "logPath" or "logRotate.numTotal". */
  readonly notSet?: pulumi.Input<readonly pulumi.Input<ExpectedPath>[]> | undefined;
}

/** A setting that can be expected, with its path. */
export type ExpectedPath = Exclude<keyof ExpectedSettings, "notSet"> | `logRotate.${keyof LogRotate}`;
