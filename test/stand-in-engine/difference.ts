import {
  isMap,
  isSecret,
  type PropertyMap,
  type PropertyValue,
  secret,
  secretContent,
  unknownValue,
} from "./property-value.ts";

export type Difference =
  | { readonly kind: "same" | "add" | "delete"; readonly value: PropertyValue }
  | { readonly kind: "update"; readonly from: PropertyValue; readonly to: PropertyValue }
  | { readonly kind: "list"; readonly entries: readonly Difference[] }
  | MapDifference;

export interface MapDifference {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, Difference>;
}

/**
 * Compares as the engine does: null is the same as absent, keys that start with two underscores are internal,
 * secrets are compared by what they hold. Returns undefined where nothing differs.
 */
export function compareProperties(from: PropertyMap, to: PropertyMap): MapDifference | undefined {
  const isPublic = ([key]: [string, PropertyValue]) => !key.startsWith("__");
  const difference = compareMaps(
    Object.fromEntries(Object.entries(from).filter(isPublic)),
    Object.fromEntries(Object.entries(to).filter(isPublic)),
    (value) => value,
  );
  return difference.kind === "map" ? difference : undefined;
}

/** Keeps a mark of secrecy on every leaf below a secret, so that none is ever drawn. */
type Mark = (value: PropertyValue) => PropertyValue;

function compare(from: PropertyValue, to: PropertyValue, mark: Mark): Difference {
  if (isSecret(from) && isSecret(to)) return compare(secretContent(from), secretContent(to), secret);
  if (from === null && to === null) return { kind: "same", value: null };
  if (from === null) return { kind: "add", value: mark(to) };
  if (to === null) return { kind: "delete", value: mark(from) };
  if (Array.isArray(from) && Array.isArray(to)) return compareLists(from, to, mark);
  if (isMap(from) && isMap(to)) return compareMaps(from, to, mark);
  if (from === to && from !== unknownValue) return { kind: "same", value: mark(to) };
  return { kind: "update", from: mark(from), to: mark(to) };
}

function compareMaps(from: PropertyMap, to: PropertyMap, mark: Mark): Difference {
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  const entries = new Map(keys.map((key) => [key, compare(from[key] ?? null, to[key] ?? null, mark)]));
  return areSame(entries.values()) ? { kind: "same", value: mark(to) } : { kind: "map", entries };
}

function compareLists(from: PropertyValue[], to: PropertyValue[], mark: Mark): Difference {
  const longer = from.length > to.length ? from : to;
  const entries = longer.map((_, index) => compare(from[index] ?? null, to[index] ?? null, mark));
  return areSame(entries) ? { kind: "same", value: mark(to) } : { kind: "list", entries };
}

function areSame(differences: Iterable<Difference>): boolean {
  return [...differences].every(({ kind }) => kind === "same");
}
