import type { AgentKind } from "./agent-log-config-id.ts";
import type { AgentLogSettings } from "./agent-log-settings.ts";

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
