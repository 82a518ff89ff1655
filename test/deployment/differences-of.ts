import {
  isMap,
  isSecret,
  type PropertyMap,
  type PropertyValue,
  secretContent,
  unknownValue,
} from "../stand-in-engine/property-value.ts";

/** A property that differs, by its path; null where it is absent. */
export interface Difference {
  readonly path: string;
  readonly from: PropertyValue;
  readonly to: PropertyValue;
}

/**
 * Compares as the engine does: null is the same as absent, keys that start with two underscores are internal, and secrets are
 * compared by what they hold.
 */
export function differencesOf(from: PropertyMap, to: PropertyMap): readonly Difference[] {
  const names = Object.keys({ ...from, ...to }).filter((name) => !name.startsWith("__"));
  return names.sort().flatMap((name) => compare(name, from[name] ?? null, to[name] ?? null));
}

/** A secret that differs is drawn as one. */
function compare(path: string, from: PropertyValue, to: PropertyValue): readonly Difference[] {
  if (isSecret(from) && isSecret(to)) {
    return compare(path, secretContent(from), secretContent(to)).length === 0 ? [] : [{ path, from, to }];
  }
  const isList = Array.isArray(from) && Array.isArray(to);
  if (isList || (isMap(from) && isMap(to))) {
    const [olds, news] = [new Map(Object.entries(from)), new Map(Object.entries(to))];
    const keys = [...new Set([...olds.keys(), ...news.keys()])].sort();
    const pathOf = (key: string) => (isList ? `${path}[${key}]` : `${path}.${key}`);
    return keys.flatMap((key) => compare(pathOf(key), olds.get(key) ?? null, news.get(key) ?? null));
  }
  return from === to && from !== unknownValue ? [] : [{ path, from, to }];
}

/** Returns a value as a run shows it. */
export function textOf(value: PropertyValue): string {
  if (isSecret(value)) return "[secret]";
  return value === unknownValue ? "[unknown]" : JSON.stringify(value);
}
