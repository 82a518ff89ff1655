import { UNKNOWN } from "../engine/engine-marks.ts";
import { type AgentLogSettings, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { type Json, jsonOf } from "../model/json.ts";

/**
 * The settings as they are recorded: null says that the service does not have a setting, and {@link UNKNOWN} that it is not known yet
 * in a preview. Any other JSON may be there too, because a state may have been edited, and a policy may change inputs.
 */
export type RecordedSettings = { readonly [Name in keyof AgentLogSettings]?: Json };

/** Returns all settings as they are recorded. */
export function recordedSettingsOf(settings: Partial<AgentLogSettings> | RecordedSettings): RecordedSettings {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, jsonOf(settings[name] ?? null)]));
}

/** The settings of a resource that nothing is known of yet. */
export const UNKNOWN_SETTINGS: RecordedSettings = Object.fromEntries(SETTING_NAMES.map((name) => [name, UNKNOWN]));
