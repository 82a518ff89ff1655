import { isDeepStrictEqual } from "node:util";
import { UNKNOWN } from "../engine/engine-marks.ts";
import { SETTING_NAMES, type SettingName } from "../model/agent-log-settings.ts";
import { isMoved, type ResourceRecord } from "./resource-record.ts";

// The engine applies `ignoreChanges` twice: it puts recorded values among the inputs before a check, and again when it compares them
// with the record. But a check that reads has other settings than those inputs, so it keeps the settings that are ignored as a whole.

/**
 * Returns the settings whose recorded values stay. An origin has the paths of `ignoreChanges`. Without an origin, only `ignoreChanges`
 * puts settings among the inputs, and puts them there with their recorded values.
 */
export function keptSettings(olds: ResourceRecord, news: ResourceRecord): readonly SettingName[] {
  if (olds.args.projectId === undefined || isMoved(olds, news)) return [];
  const { settings, origin } = news;
  return SETTING_NAMES.filter((name) => {
    if (origin !== undefined && origin !== UNKNOWN) return isAmong(origin.ignoreChanges, name);
    return settings[name] !== undefined && isDeepStrictEqual(settings[name], olds.settings[name]);
  });
}

function isAmong(paths: readonly string[], name: SettingName): boolean {
  return paths.includes(name) || paths.includes(`["${name}"]`);
}
