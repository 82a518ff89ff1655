import type * as pulumi from "@pulumi/pulumi";
import type { AgentLogSettings, LogRotate } from "../client/agent-log-settings.ts";

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
 * Settings as they should be: a string, a number or a range of numbers; `null` means that the setting must not be set. A
 * setting that is left out may have any value. `configOverrides` can't be expected, since a message would have to quote it.
 */
export type ExpectedSettings = {
  readonly [Name in Exclude<keyof AgentLogSettings, "logRotate" | "configOverrides">]?:
    | pulumi.Input<string | null>
    | undefined;
} & {
  /** Thresholds for the rotation of the agent's log. */
  readonly logRotate?: pulumi.Input<ExpectedLogRotate | null> | undefined;
};
