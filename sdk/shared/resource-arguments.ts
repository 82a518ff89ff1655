import { z } from "zod";
import { SETTING_NAMES } from "../client/agent-log-settings.ts";
import { describeIssues, strictObject } from "../client/parse-argument.ts";
import { readArgumentsSchema } from "../client/schemas.ts";
import { printable } from "../digest/printable.ts";
import { isUnknown } from "./engine-marks.ts";
import { expectedSettingsSchema, withoutUnknown } from "./unmet-expectations.ts";

const { projectId, agent } = readArgumentsSchema.shape;

/** The kinds of the arguments of a resource. */
export const resourceArgumentsSchema = strictObject({
  projectId,
  agent,
  expect: expectedSettingsSchema.optional(),
  whenUnexpected: z.enum(["fail", "warn"], 'must be "fail" or "warn"').optional(),
  whenUnavailable: z.enum(["fail", "useRecorded"], 'must be "fail" or "useRecorded"').optional(),
});

/**
 * Returns one sentence about the arguments that can't work; empty if all can.
 * @param inputs those of a resource, in which null is absent, and values may be unknown yet
 * @param secrets the arguments that no sentence may quote
 */
export function malformedArguments(
  inputs: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): readonly string[] {
  const given = Object.entries(inputs).filter(
    ([name, value]) => value !== null && !name.startsWith("__") && !SETTING_NAMES.includes(name),
  );
  const known = withoutUnknown(Object.fromEntries(given));
  const reportInput = given.every(([name]) => !secrets.includes(name));
  const { error } = resourceArgumentsSchema.safeParse(known, { reportInput });
  const mistakes = error?.issues.flatMap((issue) => {
    const [name] = issue.path;
    if (name === undefined) return issue.code === "unrecognized_keys" ? issue.keys.map(unknownArgument) : [];
    return isUnknown(inputs[String(name)]) ? [] : [`the argument ${describeIssues([issue])}`];
  });
  return mistakes === undefined || mistakes.length === 0
    ? []
    : [`Nothing was read: ${mistakes.join("; ").replace(/(?<!\?)$/, ".")}`];
}

function unknownArgument(name: string): string {
  const names = Object.keys(resourceArgumentsSchema.shape);
  const [nearest = ""] = names.toSorted((one, other) => distance(name, one) - distance(name, other));
  const isNear = distance(name, nearest) <= nearest.length / 3;
  const advice = isNear ? `did you mean ${nearest}?` : `the arguments are ${names.join(", ")}`;
  return `there is no argument ${printable(name, 80)}; ${advice}`;
}

/** How many characters have to be added, removed or replaced to make one name of another, in any case. */
function distance(from: string, to: string): number {
  const target = [...to.toLowerCase()];
  let row = [...target.keys(), target.length];
  for (const [index, character] of [...from.toLowerCase().slice(0, 80)].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of target.entries()) {
      const replaced = (row[column] ?? 0) + (character === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
