import { z } from "zod";
import { SETTING_NAMES } from "../client/agent-log-settings.ts";
import { describeIssues, strictObject } from "../client/parse-argument.ts";
import { readArgumentsSchema } from "../client/schemas.ts";
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
 */
export function malformedArguments(inputs: Readonly<Record<string, unknown>>): readonly string[] {
  const given = Object.entries(inputs).filter(
    ([name, value]) => value !== null && !name.startsWith("__") && !SETTING_NAMES.includes(name),
  );
  const { error } = resourceArgumentsSchema.safeParse(withoutUnknown(Object.fromEntries(given)));
  const issues = error?.issues.filter(({ path: [name] }) => name === undefined || !isUnknown(inputs[String(name)]));
  return issues === undefined || issues.length === 0 ? [] : [`Nothing was read: ${describeIssues(issues)}.`];
}
