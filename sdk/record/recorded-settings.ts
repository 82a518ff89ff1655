import { UNKNOWN } from "../engine/engine-marks.ts";
import { type AgentLogSettings, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { type Json, jsonOf } from "../model/json.ts";

/**
 * The settings as they are recorded. A setting that the service does not have is empty, because the SDKs of other languages take null
 * for unknown. {@link UNKNOWN} says that a setting is not known yet in a preview. Any other JSON may be there too, because a state may
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

/** The settings of a resource that nothing is known of yet. */
export const UNKNOWN_SETTINGS: RecordedSettings = Object.fromEntries(SETTING_NAMES.map((name) => [name, UNKNOWN]));
