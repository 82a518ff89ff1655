import type { AgentLogSettings } from "./agent-log-config.ts";

/** The settings as they are kept outside a program: JSON without undefined, in which null says that the service has none. */
export interface RecordedSettings {
  readonly logPath: string | null;
  readonly logPathWindows: string | null;
  readonly logRotate: Readonly<Record<string, number>> | null;
  readonly username: string | null;
  readonly configOverrides: Readonly<Record<string, unknown>> | null;
}

export const NO_SETTINGS: RecordedSettings = {
  logPath: null,
  logPathWindows: null,
  logRotate: null,
  username: null,
  configOverrides: null,
};

/** Why there are no settings to record. */
export interface Problem {
  /** One sentence each. */
  readonly reasons: readonly string[];
  /** The service could not be reached or did not work, so that what was recorded before may still be true. */
  readonly outage: boolean;
}

export function recordSettings(settings: AgentLogSettings): RecordedSettings {
  const { logPath = null, logPathWindows = null, logRotate = null, username = null, configOverrides = null } = settings;
  return { logPath, logPathWindows, logRotate: logRotate && present(logRotate), username, configOverrides };
}

function present(thresholds: object): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(thresholds).filter(([, value]) => value !== undefined));
}
