import type * as pulumi from "@pulumi/pulumi";
import type { LogRotate } from "../client/agent-log-settings.ts";

/** The bounds of a number, in the unit of the threshold. An omitted bound sets no limit. */
export interface ExpectedRange {
  /** The smallest accepted value. */
  readonly atLeast?: pulumi.Input<number> | undefined;
  /** The largest accepted value. */
  readonly atMost?: pulumi.Input<number> | undefined;
}

/** Thresholds as they should be, each in the unit of {@link LogRotate}; `null` means that it must not be set. */
export type ExpectedLogRotate = {
  readonly [Name in keyof LogRotate]?: pulumi.Input<number | ExpectedRange | null> | undefined;
};

/**
 * Settings as they should be, at least one: a string, a number or a range of numbers, or in `notSet` the settings that must
 * not be set. A setting that is left out may have any value. `configOverrides` can't be expected, since a message would have
 * to quote it.
 */
export interface ExpectedSettings {
  /** The path of the log file; `null` means that it must not be set. */
  readonly logPath?: pulumi.Input<string | null> | undefined;
  /** The path of the log file on Windows hosts; `null` means that it must not be set. */
  readonly logPathWindows?: pulumi.Input<string | null> | undefined;
  /** Thresholds for the rotation of the log; `null` means that none must be set. */
  readonly logRotate?: pulumi.Input<ExpectedLogRotate | null> | undefined;
  /** The database user that manages the logs; `null` means that it must not be set. */
  readonly username?: pulumi.Input<string | null> | undefined;
  /** The settings that must not be set. In TypeScript, `null` in the place of a setting means the same. */
  readonly notSet?: pulumi.Input<readonly pulumi.Input<ExpectedPath>[]> | undefined;
}

/** A setting that can be expected, with its path. */
export type ExpectedPath = Exclude<keyof ExpectedSettings, "notSet"> | `logRotate.${keyof LogRotate}`;
