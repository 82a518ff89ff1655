import { compareProperties, type Difference } from "../stand-in-engine/difference.ts";
import { isSecret, maskSecrets, type PropertyMap, type PropertyValue } from "../stand-in-engine/property-value.ts";
import { isDefaultProvider, stackType } from "../stand-in-engine/resource.ts";

/** A step of a run that changes something, the same for both engines. */
export interface StepSummary {
  readonly op: "create" | "update" | "replace" | "delete";
  readonly name: string;
  /** What an update changes, such as "logRotate.sizeThresholdMB: 1000 => 500". Secrets are not compared. */
  readonly differences?: readonly string[];
}

/** Returns nothing for a step that changes nothing, and for those of the stack and of its default provider. */
export function summarizeStep(op: string, urn: string, old: PropertyMap, fresh: PropertyMap): readonly StepSummary[] {
  const [, , type = "", name = ""] = urn.split("::");
  if (type === stackType || isDefaultProvider({ type, name })) return [];
  if (op === "create" || op === "replace" || op === "delete") return [{ op, name }];
  if (op !== "update") return [];
  const difference = compareProperties(maskSecrets(old), maskSecrets(fresh));
  return [{ op, name, differences: difference ? flatten(difference, "") : [] }];
}

function flatten(difference: Difference, path: string): string[] {
  const changed = (from: string, to: string) => [`${path}: ${from} => ${to}`];
  switch (difference.kind) {
    case "same":
      return [];
    case "map":
      return [...difference.entries].flatMap(([key, entry]) => flatten(entry, path === "" ? key : `${path}.${key}`));
    case "list":
      return difference.entries.flatMap((entry, index) => flatten(entry, `${path}[${index}]`));
    case "add":
      return changed("null", textOf(difference.value));
    case "delete":
      return changed(textOf(difference.value), "null");
    case "update":
      return changed(textOf(difference.from), textOf(difference.to));
  }
}

function textOf(value: PropertyValue): string {
  return isSecret(value) ? "[secret]" : JSON.stringify(value);
}
