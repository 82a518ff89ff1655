import { type AgentLogSettings, SETTINGS } from "../client/agent-log-settings.ts";

/** The settings as the state keeps them: JSON, in which null says that the service does not have the setting. */
export type RecordedSettings = {
  readonly [Name in keyof AgentLogSettings]: Exclude<AgentLogSettings[Name], undefined> | null;
};

/** The names of the settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

/** What is recorded where nothing could be read. */
export const NO_SETTINGS: RecordedSettings = recordSettings({
  logPath: undefined,
  logPathWindows: undefined,
  logRotate: undefined,
  username: undefined,
  configOverrides: undefined,
});

/** Returns the settings as they are recorded. */
export function recordSettings(settings: AgentLogSettings): RecordedSettings {
  const { logPath = null, logPathWindows = null, username = null, configOverrides = null } = settings;
  // JSON has no undefined: thresholds that the service does not have are left out.
  const logRotate = settings.logRotate === undefined ? null : JSON.parse(JSON.stringify(settings.logRotate));
  return { logPath, logPathWindows, logRotate, username, configOverrides };
}
