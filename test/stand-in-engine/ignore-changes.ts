import type { PropertyMap } from "./property-value.ts";

interface Ignoring {
  readonly ignoreChanges: readonly string[];
}

/** Puts the recorded values in the place of those whose changes are ignored. */
export function keepIgnored(news: PropertyMap, olds: PropertyMap, { ignoreChanges }: Ignoring): PropertyMap {
  refuseNested(ignoreChanges);
  const kept = Object.entries(olds).filter(([key]) => ignoreChanges.includes(key));
  return { ...withoutIgnored(news, { ignoreChanges }), ...Object.fromEntries(kept) };
}

export function withoutIgnored(map: PropertyMap, { ignoreChanges }: Ignoring): PropertyMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !ignoreChanges.includes(key)));
}

function refuseNested(paths: readonly string[]): void {
  const nested = paths.find((path) => !/^\w+$/.test(path));
  if (nested !== undefined) throw new Error(`stand-in engine: ignoreChanges of "${nested}" is not modelled`);
}
