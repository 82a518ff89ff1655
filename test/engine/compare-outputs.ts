import { compareProperties, type Difference, type MapDifference } from "./difference.ts";
import { isMap, type PropertyMap, type PropertyValue, unknownValue } from "./property-value.ts";

/** What a preview adds to every resource that is a stack output: it counts as a difference, and is not drawn. */
const resourceMark = "@isPulumiResource";

/** Compares outputs as they are drawn: a value that is not known yet counts as a difference too, and is not drawn. */
export function compareOutputs(from: PropertyMap, to: PropertyMap): MapDifference | undefined {
  const difference = compareProperties(from, to);
  return difference && drawnPart(difference, from);
}

function drawnPart({ entries }: MapDifference, from: PropertyMap): MapDifference {
  const isResource = entries.get(resourceMark)?.kind === "add";
  const isDrawn = (key: string, entry: Difference) =>
    key !== resourceMark &&
    !(entry.kind === "update" && entry.to === unknownValue) &&
    !(entry.kind === "add" && entry.value === unknownValue && (key in from || isResource));
  const drawn = [...entries].filter(([key, entry]) => isDrawn(key, entry));
  return { kind: "map", entries: new Map(drawn.map(([key, entry]) => [key, drawnEntry(entry, from[key])])) };
}

function drawnEntry(entry: Difference, from: PropertyValue | undefined): Difference {
  if (entry.kind === "map") return drawnPart(entry, isMap(from) ? from : {});
  return entry.kind === "add" ? { kind: "add", value: withoutMark(entry.value) } : entry;
}

function withoutMark(value: PropertyValue): PropertyValue {
  return isMap(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== resourceMark)) : value;
}
