import { z } from "zod";
import { isUnknown } from "../engine/engine-marks.ts";
import { isSettingName, logRotateSchema, type RecordedSettings, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { isObject, isPlainObject, type Json, type JsonMap } from "../model/json.ts";
import { describeIssues, listMistakes, strictObject } from "../model/parse-argument.ts";
import { printable } from "../model/printable.ts";
import { readArgumentsSchema } from "../model/read-arguments.ts";
import type { Finding } from "./finding-report.ts";

/** The bounds of a number, in the unit of the threshold. */
interface Bounds {
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

const text = z.string("must be a string").min(1, "must have at least one character, or be listed in notSet").optional();
const bound = z.number("must be a number").optional();
/** What the bounds of a number must be. */
const expectedRangeSchema = strictObject({ atLeast: bound, atMost: bound })
  .refine(hasMembers, { error: "must have atLeast, atMost or both", when: isValid })
  .refine(
    ({ atLeast = -Infinity, atMost = Infinity }: Bounds) => atLeast <= atMost,
    "can't be met, because atLeast is greater than atMost",
  );
const threshold = z
  .union([z.number(), expectedRangeSchema], "must be a number or a range { atLeast, atMost }")
  .optional();

/** What may be expected of thresholds. */
const expectedThresholdsSchema = strictObject(
  Object.fromEntries(Object.keys(logRotateSchema.shape).map((name) => [name, threshold])),
).refine(hasMembers, { error: "must have a threshold", when: isValid });
const settings = {
  logPath: text,
  logPathWindows: text,
  logRotate: expectedThresholdsSchema.optional(),
  username: text,
};
const paths = [
  ...Object.keys(settings),
  ...Object.keys(expectedThresholdsSchema.shape).map((name) => `logRotate.${name}`),
];

/** The settings that may be expected to be absent. */
export const expectedPathSchema = z.enum(paths, `must be one of ${paths.join(", ")}`);

/** What may be expected. `configOverrides` is always a secret, and a message would have to quote it. */
const expectedSettingsSchema = strictObject({
  ...settings,
  notSet: z.array(expectedPathSchema, "must be a list").optional(),
}).refine(hasMembers, { error: "must have a setting, or notSet", when: isValid });

const { projectId, agent } = readArgumentsSchema.shape;

/** What the arguments of a resource must be. */
export const resourceArgumentsSchema = strictObject({
  projectId,
  agent,
  expect: expectedSettingsSchema.optional(),
  whenUnexpected: z.enum(["fail", "warn"], 'must be "fail" or "warn"').optional(),
  whenUnavailable: z.enum(["fail", "useRecorded"], 'must be "fail" or "useRecorded"').optional(),
});

/** What is passed as the arguments of a resource, not checked yet. Null is absent, and values may be unknown yet. */
export type GivenArguments = { readonly [Name in keyof typeof resourceArgumentsSchema.shape]?: Json } & JsonMap;

/** Returns arguments as they are recorded: with the default of the one that is an output, too. */
export function recordedArguments(args: GivenArguments): GivenArguments {
  return { ...args, whenUnavailable: args.whenUnavailable ?? "fail" };
}

/** Returns the arguments in a state, which may be of another version, so that it has outputs that are no arguments. */
export function argumentsInState(args: GivenArguments): GivenArguments {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name in resourceArgumentsSchema.shape));
}

/**
 * Returns why a resource with these arguments can't be read, in one sentence; empty if it can.
 * @param args those of a resource, in which null and undefined are absent, and values may be unknown yet
 * @param secrets the arguments that no sentence may quote, because an invalid one may be another secret
 */
export function argumentFindings(
  args: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): readonly Finding[] {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined);
  const values = withoutAbsent(Object.fromEntries(entries));
  const reportInput = entries.every(([name]) => !secrets.includes(name));
  const { error } = resourceArgumentsSchema.safeParse(values, { reportInput });
  const mistakes = (error?.issues ?? []).flatMap((issue) => {
    const [name] = issue.path;
    if (name === undefined) return [describeIssues([issue], "the argument")];
    return isUnknown(args[String(name)]) ? [] : [`the argument ${describeIssues([issue], "")}`];
  });
  if (mistakes.length === 0) return [];
  const message = `Nothing was read: ${listMistakes(mistakes)}.`;
  return [{ message, causeKey: message }];
}

/** Replaces what is not known yet in a preview by undefined, and leaves out null, which languages send for what is absent. */
function withoutAbsent(value: unknown): unknown {
  if (isUnknown(value)) return undefined;
  if (Array.isArray(value)) return value.map(withoutAbsent).filter((inner) => inner !== undefined);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutAbsent(inner)]));
}

/** Members that are undefined count, because they may be unknown yet. */
function hasMembers(value: object): boolean {
  return Object.keys(value).length > 0;
}

function isValid({ issues }: { readonly issues: readonly unknown[] }): boolean {
  return issues.length === 0;
}

/**
 * Returns a sentence for each setting that is not as expected.
 * @param expectation as the program wrote it
 * @param recordedSettings the settings as they are recorded
 * @param secrets the settings that no sentence may quote
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

/**
 * Returns what no message may quote because these arguments are secrets, or have a secret inside: each argument, if it is invalid.
 * If `expect` is one of them, it is also every setting, because a message would tell what is expected of it.
 */
export function secretsBehind(args: readonly string[]): readonly string[] {
  return args.includes("expect") ? [...args, ...SETTING_NAMES] : args;
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
  if (secrets.includes(name)) return [`${path} is not as expected; ${advice}.`];
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
