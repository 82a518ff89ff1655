import { SETTING_NAMES } from "../client/agent-log-settings.ts";

/** The settings as the state keeps them: JSON, in which null says that the service does not have the setting. */
export type RecordedSettings = Readonly<Record<string, unknown>>;

/** Returns the settings as they are recorded. */
export function recordSettings(settings: object): RecordedSettings {
  const recorded = SETTING_NAMES.map((name) => [name, Reflect.get(settings, name) ?? null]);
  // JSON has no undefined: thresholds that the service does not have are left out.
  return JSON.parse(JSON.stringify(Object.fromEntries(recorded)));
}

/** What is recorded where nothing could be read. */
export const NO_SETTINGS: RecordedSettings = recordSettings({});
