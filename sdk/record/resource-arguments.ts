import { z } from "zod";
import { isUnknown } from "../engine/engine-marks.ts";
import { SETTING_NAMES } from "../model/agent-log-settings.ts";
import type { Json, JsonMap } from "../model/json.ts";
import { describeIssues, listMistakes, strictObject } from "../model/parse-argument.ts";
import { readArgumentsSchema } from "../model/read-arguments.ts";
import { expectedSettingsSchema, withoutAbsent } from "./expectations.ts";
import type { Finding } from "./finding-report.ts";

const { projectId, agent } = readArgumentsSchema.shape;

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
export function withDefaults(args: GivenArguments): GivenArguments {
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
    if (name === undefined) return [describeIssues([issue])];
    return isUnknown(args[String(name)]) ? [] : [`the argument ${describeIssues([issue])}`];
  });
  if (mistakes.length === 0) return [];
  const message = `Nothing was read: ${listMistakes(mistakes)}.`;
  return [{ message, causeKey: message }];
}

/**
 * Returns what no message may quote because these arguments are secrets, or have a secret inside: each argument, if it is invalid.
 * If `expect` is one of them, it is also every setting, because a message would tell what is expected of it.
 */
export function secretsBehind(args: readonly string[]): readonly string[] {
  return args.includes("expect") ? [...args, ...SETTING_NAMES] : args;
}
