import type * as pulumi from "@pulumi/pulumi";
import type { AgentKind } from "../client/agent-log-config-id.ts";
import type { ExpectedSettings } from "./expected-settings.ts";

/** The arguments of an {@link AgentLogConfig}. */
export interface AgentLogConfigArgs {
  /** The project's id, 24 hexadecimal digits. Changing it replaces the resource. */
  readonly projectId: pulumi.Input<string>;
  /** The agent whose settings to read, `"monitoring"` or `"backup"`. Changing it replaces the resource. */
  readonly agent: pulumi.Input<AgentKind>;
  /** The settings as they should be. A setting that differs fails the preview and the update, or only causes a warning. */
  readonly expect?: pulumi.Input<ExpectedSettings> | undefined;
  /** Whether a setting that is not as expected fails the resource or causes a warning. Default: `"fail"`. */
  readonly whenUnexpected?: pulumi.Input<"fail" | "warn"> | undefined;
  /**
   * What to do in an outage, which is a failed connection, a time-out, status 429 or 5xx. `"fail"` fails the resource;
   * `"useRecorded"` keeps the settings in the state and warns, in previews, updates and refreshes. Every other
   * error, and an outage for which nothing is recorded, fails the resource in any case. Default: `"fail"`.
   */
  readonly whenUnavailable?: pulumi.Input<"fail" | "useRecorded"> | undefined;
}
