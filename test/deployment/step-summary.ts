import { maskSecrets, type PropertyMap } from "../stand-in-engine/property-value.ts";
import { isDefaultProvider, stackType } from "../stand-in-engine/resource.ts";
import { differencesOf, textOf } from "./differences-of.ts";

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
  const differences = differencesOf(maskSecrets(old), maskSecrets(fresh));
  return [
    { op, name, differences: differences.map(({ path, from, to }) => `${path}: ${textOf(from)} => ${textOf(to)}`) },
  ];
}
