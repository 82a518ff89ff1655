import { z } from "zod";
import { isUnknown } from "../engine/engine-marks.ts";
import { CONFIGS } from "../engine/frozen-texts.ts";
import { isSettingName, logRotateSchema, type RecordedSettings } from "../model/agent-log-settings.ts";
import { strictObject } from "../model/parse-argument.ts";
import { isObject, isPlainObject, type Json } from "../text/json.ts";
import { printable } from "../text/printable.ts";

/** The bounds of a number, in the unit of the threshold, which {@link expectedRangeSchema} has checked. */
interface Bounds {
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

const textSchema = z
  .string("must be a string")
  .min(1, "must have at least one character, or be listed in notSet")
  .optional();
const boundSchema = z.number("must be a number").optional();
const expectedRangeSchema = strictObject({ atLeast: boundSchema, atMost: boundSchema })
  .refine(hasMembers, { error: "must have atLeast, atMost or both", when: isValid })
  .refine(
    ({ atLeast = -Infinity, atMost = Infinity }: Bounds) => atLeast <= atMost,
    "can't be met, because atLeast is greater than atMost",
  );
const thresholdSchema = z
  .union([z.number(), expectedRangeSchema], "must be a number or a range { atLeast, atMost }")
  .optional();

const expectedThresholdsSchema = strictObject(
  Object.fromEntries(Object.keys(logRotateSchema.shape).map((name) => [name, thresholdSchema])),
).refine(hasMembers, { error: "must have a threshold", when: isValid });
const settingSchemas = {
  logPath: textSchema,
  logPathWindows: textSchema,
  logRotate: expectedThresholdsSchema.optional(),
  username: textSchema,
};
const expectedPaths = [
  ...Object.keys(settingSchemas),
  ...Object.keys(expectedThresholdsSchema.shape).map((name) => `logRotate.${name}`),
];

/** The settings that may be expected to be absent. */
export const expectedPathSchema = z.enum(expectedPaths, `must be one of ${expectedPaths.join(", ")}`);

/** What may be expected. `configOverrides` is always a secret, and a message would have to quote it. */
export const expectedSettingsSchema = strictObject({
  ...settingSchemas,
  notSet: z.array(expectedPathSchema, "must be a list").optional(),
}).refine(hasMembers, { error: "must have a setting, or notSet", when: isValid });

/** Members that are undefined count, because they may be unknown yet. */
function hasMembers(value: object): boolean {
  return Object.keys(value).length > 0;
}

function isValid({ issues }: { readonly issues: readonly unknown[] }): boolean {
  return issues.length === 0;
}

/**
 * Returns a sentence for each setting that is not as expected.
 * @param secrets `configs` means all settings of a fleet
 */
export function unmetExpectations(
  expectation: unknown,
  recordedSettings: RecordedSettings,
  secrets: readonly string[],
): string[] {
  const knownPart = withoutAbsent(expectation);
  if (!isObject(knownPart)) return [];
  const { notSet, ...values } = knownPart;
  const absentPaths: readonly string[] = Array.isArray(notSet) ? notSet : [];
  const all = [...expectedMembersOf(values), ...absentPaths.map((path) => [path, null] as const)];
  return all.flatMap(([path, value]) => compare(path, value, recordedSettings, secrets));
}

/** What is expected of each setting, and of each threshold by its path. */
function expectedMembersOf(expectation: object): readonly (readonly [path: string, expectedValue: unknown])[] {
  return Object.entries(expectation).flatMap(([name, expectedValue]) =>
    name === "logRotate" && isObject(expectedValue)
      ? Object.entries(expectedValue).map(([inner, value]) => [`${name}.${inner}`, value] as const)
      : [[name, expectedValue] as const],
  );
}

function compare(
  path: string,
  expectedValue: unknown,
  recordedSettings: RecordedSettings,
  secrets: readonly string[],
): string[] {
  const [name = "", inner] = path.split(".");
  const setting = isSettingName(name) ? recordedSettings[name] : undefined;
  const member = inner === undefined ? setting : isPlainObject(setting) ? setting[inner] : undefined;
  const value = member === undefined || isEmpty(member) ? null : member;
  if (expectedValue === undefined || isAsExpected(expectedValue, value)) return [];
  const advice = "change it in the service, or change expect";
  if (secrets.includes(name) || secrets.includes(CONFIGS)) return [`${path} is not as expected; ${advice}.`];
  if (expectedValue === null) return [`${path} is ${describeValue(value)}, but should not be set; ${advice}.`];
  return [`${path} is ${describeValue(value)}, expected ${describeValue(expectedValue)}; ${advice}.`];
}

function isEmpty(value: Json): boolean {
  return value === "" || (isObject(value) && Object.keys(value).length === 0);
}

function isAsExpected(expectedValue: unknown, value: Json): boolean {
  if (!isObject(expectedValue)) return expectedValue === value;
  const { atLeast = -Infinity, atMost = Infinity }: Bounds = expectedValue;
  return typeof value === "number" && value >= atLeast && value <= atMost;
}

function describeValue(value: unknown): string {
  if (value === null) return "not set";
  const { atLeast, atMost }: Bounds = isObject(value) ? value : {};
  if (atLeast === undefined && atMost === undefined) return printable(JSON.stringify(value));
  if (atMost === undefined) return `at least ${atLeast}`;
  if (atLeast === atMost) return `${atMost}`;
  return atLeast === undefined ? `at most ${atMost}` : `between ${atLeast} and ${atMost}`;
}

/** Replaces what is not known yet in a preview by undefined, and leaves out null, which languages send for what is absent. */
export function withoutAbsent(value: unknown): unknown {
  if (isUnknown(value)) return undefined;
  if (Array.isArray(value)) return value.map(withoutAbsent).filter((inner) => inner !== undefined);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutAbsent(inner)]));
}
