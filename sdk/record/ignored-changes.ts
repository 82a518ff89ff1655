import { isSettingName, SETTING_NAMES } from "../client/agent-log-settings.ts";
import { isPlainObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";
import type { Failure } from "./failure-report.ts";
import type { RecordedSettings } from "./reading.ts";
import { resourceArgumentsSchema } from "./resource-arguments.ts";

/**
 * Puts the recorded values back in the place of settings, and of members of settings, whose changes are ignored. The engine does
 * so before a resource is checked, where it finds the same maps on both sides.
 * @param paths as `ignoreChanges` lists them
 */
export function keepIgnored(
  settings: RecordedSettings,
  recorded: RecordedSettings,
  paths: readonly string[],
): RecordedSettings {
  const kept = { ...settings };
  for (const [name = "", ...members] of paths.map(keysOf)) {
    if (isSettingName(name)) kept[name] = restore(kept[name], recorded[name], members) ?? null;
  }
  return kept;
}

/** Returns the names of settings of which the program ignores members. */
export function settingsIgnoredInPart(paths: readonly string[]): readonly string[] {
  return paths.map(keysOf).flatMap(([name = "", ...members]) => (members.length > 0 ? [name] : []));
}

/** Returns the names of settings that are ignored as a whole. */
export function ignoredSettings(paths: readonly string[]): readonly string[] {
  return paths.map(keysOf).flatMap(([name = "", ...members]) => (members.length === 0 ? [name] : []));
}

/** The properties whose changes a program may ignore. */
const PROPERTY_NAMES: readonly string[] = [...SETTING_NAMES, ...Object.keys(resourceArgumentsSchema.shape)];

/** Returns a warning if some paths lead to no property, as those with the names of Python do: the engine says nothing. */
export function ignoredWithoutEffect(paths: readonly string[], resource: string): readonly Failure[] {
  const unknown = paths.filter((path) => {
    const [name = ""] = keysOf(path);
    return name !== "*" && !name.startsWith("__") && !PROPERTY_NAMES.includes(name);
  });
  if (unknown.length === 0) return [];
  const shown = unknown.map((path) => printable(path, 80)).join(", ");
  const cause = `ignoreChanges has no effect on ${shown}; the valid names are ${PROPERTY_NAMES.join(", ")}.`;
  return [{ message: `AgentLogConfig ${printable(resource, 80)}: ${cause}`, cause }];
}

/** The engine takes a key in two spellings: `logRotate.numTotal` and `["logRotate"]["numTotal"]`. */
function keysOf(path: string): readonly string[] {
  return [...path.matchAll(/\["(.*?)"\]|([^.[\]]+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
}

function restore(value: unknown, recorded: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined || key === "*") return recorded;
  if (!isPlainObject(recorded) && !isPlainObject(value)) return value;
  const [from, to] = [recorded, value].map((map) => (isPlainObject(map) ? map : {}));
  const memberOf = (map: object = {}): unknown => (Object.hasOwn(map, key) ? Reflect.get(map, key) : undefined);
  const member = restore(memberOf(to), memberOf(from), rest);
  const others = Object.entries(to ?? {}).filter(([name]) => name !== key);
  if (member === undefined && others.length === 0) return isPlainObject(recorded) ? {} : undefined;
  return Object.fromEntries(member === undefined ? others : [...others, [key, member]]);
}
