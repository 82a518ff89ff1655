import { isDeepStrictEqual } from "node:util";
import { UNKNOWN } from "../engine/engine-marks.ts";
import { isSettingName, logRotateSchema, SECRET_SETTING, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { isPlainObject } from "../model/is-object.ts";
import type { Json } from "../model/json.ts";
import { printable } from "../model/printable.ts";
import type { Finding } from "./finding-report.ts";
import { type RecordedSettings, recordedSettingsOf } from "./recorded-settings.ts";
import { resourceArgumentsSchema } from "./resource-arguments.ts";
import { isMoved, type ResourceRecord } from "./resource-record.ts";
import { expectedSettingsSchema } from "./unmet-expectations.ts";

/**
 * Returns the paths whose recorded values stay. An origin lists them. Without an origin, only `ignoreChanges` puts settings among
 * the inputs, and puts them there with their recorded values.
 */
export function ignoredPaths(olds: ResourceRecord, news: ResourceRecord): readonly string[] {
  if (olds.args.projectId === undefined || isMoved(olds, news)) return [];
  const { settings, origin } = news;
  if (origin !== undefined && origin !== UNKNOWN) return origin.ignored;
  return SETTING_NAMES.filter((name) => {
    return settings[name] !== undefined && isDeepStrictEqual(settings[name], olds.settings[name]);
  });
}

/**
 * Puts the recorded values back in the place of settings, and of members of settings, whose changes are ignored. The engine also
 * does this, before a resource is checked, but only if it finds the same maps on both sides.
 * @param paths as `ignoreChanges` lists them
 */
export function keepIgnored(
  settings: RecordedSettings,
  recordedSettings: RecordedSettings,
  paths: readonly string[],
): RecordedSettings {
  const result = new Map<string, Json | undefined>(Object.entries(settings));
  for (const [name = "", ...members] of paths.map(keysOf)) {
    if (isSettingName(name)) result.set(name, restore(result.get(name), recordedSettings[name], members));
  }
  return recordedSettingsOf(Object.fromEntries(result));
}

/** Tells whether all settings are ignored as a whole. */
export function ignoresAllSettings(paths: readonly string[]): boolean {
  const names = paths.map(keysOf).flatMap(([name = "", ...members]) => (members.length === 0 ? [name] : []));
  return SETTING_NAMES.every((name) => names.includes(name));
}

/** Tells whether a setting or a member of one is ignored. */
export function ignoresSettings(paths: readonly string[]): boolean {
  return paths.map(keysOf).some(([name = ""]) => isSettingName(name));
}

/** The properties whose changes a program may ignore. */
const PROPERTY_NAMES: readonly string[] = [...SETTING_NAMES, ...Object.keys(resourceArgumentsSchema.shape)];

/** The names of the members of those that have any, except of `configOverrides`, which may have any members. */
const MEMBER_NAMES: Readonly<Record<string, readonly string[]>> = {
  logRotate: Object.keys(logRotateSchema.shape),
  expect: Object.keys(expectedSettingsSchema.shape),
};

/**
 * Returns a warning if some paths lead to no property, such as paths with the names of Python. The engine does not warn of them.
 */
export function ignoredWithoutEffect(paths: readonly string[]): readonly Finding[] {
  const wrongPaths = paths.filter((path) => !leadsToProperty(keysOf(path)));
  if (wrongPaths.length === 0) return [];
  const wrongList = wrongPaths.map((path) => printable(path, 80)).join(", ");
  const validList = [...new Set(wrongPaths.flatMap(validPathsFor))].join(", ");
  const message = `ignoreChanges has no effect on ${wrongList}; the valid names are ${validList}.`;
  return [{ message, cause: message }];
}

function leadsToProperty([name = "", member]: readonly string[]): boolean {
  if (name === "*" || name.startsWith("__")) return true;
  if (!PROPERTY_NAMES.includes(name)) return false;
  return member === undefined || member === "*" || (MEMBER_NAMES[name]?.includes(member) ?? name === SECRET_SETTING);
}

/** Returns the valid paths for a path that leads to no property. */
function validPathsFor(path: string): readonly string[] {
  const [name = ""] = keysOf(path);
  if (!PROPERTY_NAMES.includes(name)) return PROPERTY_NAMES;
  return MEMBER_NAMES[name]?.map((member) => `${name}.${member}`) ?? [name];
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
