import { isDeepStrictEqual } from "node:util";
import { UNKNOWN } from "../engine/engine-marks.ts";
import { isSettingName, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { isPlainObject } from "../model/is-object.ts";
import type { Json } from "../model/json.ts";
import { type RecordedSettings, recordedSettingsOf } from "./recorded-settings.ts";
import { isMoved, type ResourceRecord } from "./resource-record.ts";
import type { IgnoredPath } from "./settings-origin.ts";

/** Returns the paths of `ignoreChanges` that lead to settings. */
export function pathsToSettings(ignoreChanges: readonly string[]): readonly IgnoredPath[] {
  return ignoreChanges.map(keysOf).flatMap(([setting = "", ...keys]) => {
    return isSettingName(setting) ? [{ setting, keys }] : [];
  });
}

/**
 * Returns the paths whose recorded values stay. An origin lists them. Without an origin, only `ignoreChanges` puts settings among
 * the inputs, and puts them there with their recorded values.
 */
export function ignoredPaths(olds: ResourceRecord, news: ResourceRecord): readonly IgnoredPath[] {
  if (olds.args.projectId === undefined || isMoved(olds, news)) return [];
  const { settings, origin } = news;
  if (origin !== undefined && origin !== UNKNOWN) return origin.ignored;
  const names = SETTING_NAMES.filter((name) => {
    return settings[name] !== undefined && isDeepStrictEqual(settings[name], olds.settings[name]);
  });
  return names.map((setting) => ({ setting, keys: [] }));
}

/** Tells whether all settings are ignored as a whole. */
export function ignoresAllSettings(paths: readonly IgnoredPath[]): boolean {
  return SETTING_NAMES.every((name) => paths.some(({ setting, keys }) => setting === name && keys.length === 0));
}

/**
 * Puts the recorded values back in the place of settings, and of members of settings, whose changes are ignored. The engine also
 * does this, before a resource is checked, but only if it finds the same maps on both sides.
 */
export function keepIgnored(
  settings: RecordedSettings,
  recordedSettings: RecordedSettings,
  paths: readonly IgnoredPath[],
): RecordedSettings {
  const result = new Map<string, Json | undefined>(Object.entries(settings));
  for (const { setting, keys } of paths) {
    result.set(setting, restore(result.get(setting), recordedSettings[setting], keys));
  }
  return recordedSettingsOf(Object.fromEntries(result));
}

/**
 * Returns the keys of a path as the engine reads them: `logRotate.numTotal` and `["logRotate"]["numTotal"]` are the same, and in
 * quotes only `\"` is an escape. The index of a list keeps its brackets, because it leads to no member of a map. A malformed path has no
 * keys: the engine skips it.
 */
function keysOf(path: string): readonly string[] {
  const elements = Array.from(path.matchAll(PATH_ELEMENT));
  if (elements.some(([, , , , malformedPart]) => malformedPart !== undefined)) return [];
  return elements.flatMap(([, quotedKey, star, plain]) => quotedKey?.replaceAll('\\"', '"') ?? star ?? plain ?? []);
}

const PATH_ELEMENT = /\["((?:\\"|\\(?!")|[^"\\])*)"\]|\[(\*)\]|(\[\d+\]|[^.[]+)|(?<=.)\.(?=.)|(.)/gs;

/** Puts back the recorded value if the path leads through maps on both sides, or if one side has nothing. */
function restore(
  value: Json | undefined,
  recordedValue: Json | undefined,
  [key, ...rest]: readonly string[],
): Json | undefined {
  if (key === undefined) return recordedValue;
  const [members, from] = [membersOfMap(value), membersOfMap(recordedValue)];
  if (members === undefined || from === undefined) return value;
  for (const name of key === "*" ? [...members.keys(), ...from.keys()] : [key]) {
    const member = restore(members.get(name), from.get(name), rest);
    if (member === undefined) members.delete(name);
    else members.set(name, member);
  }
  return members.size > 0 || (value != null && recordedValue != null) ? Object.fromEntries(members) : undefined;
}

/** Returns the members of a map; none of nothing, and undefined for any other value. */
function membersOfMap(value: Json | undefined): Map<string, Json> | undefined {
  if (value == null) return new Map();
  return isPlainObject(value) ? new Map(Object.entries(value)) : undefined;
}
