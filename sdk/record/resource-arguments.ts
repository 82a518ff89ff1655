import { z } from "zod";
import { isUnknown, SIGNATURE_KEY } from "../engine/engine-marks.ts";
import { CONFIGS } from "../engine/frozen-texts.ts";
import type { Finding } from "../findings/finding.ts";
import { SETTING_NAMES } from "../model/agent-log-settings.ts";
import { describeIssues, listMistakes, strictObject } from "../model/parse-argument.ts";
import { readArgumentsSchema } from "../model/read-arguments.ts";
import { isPlainObject, type Json, type JsonMap } from "../text/json.ts";
import { printable } from "../text/printable.ts";
import { expectedSettingsSchema, withoutAbsent } from "./expectations.ts";

const { projectId, agent } = readArgumentsSchema.shape;

/** What is expected of settings, and what follows from that. */
const ruleSchemas = {
  expect: expectedSettingsSchema.optional(),
  whenUnexpected: z.enum(["fail", "warn"], 'must be "fail" or "warn"').optional(),
  whenUnavailable: z.enum(["fail", "useRecorded"], 'must be "fail" or "useRecorded"').optional(),
};

export const resourceArgumentsSchema = strictObject({ projectId, agent, ...ruleSchemas });

const NAME_RULE =
  "has a name that does not begin with a letter or a digit, or has other than 1 to 80 printable characters";

export const fleetArgumentsSchema = strictObject({
  // An id that is not known yet is undefined here.
  projects: z
    .custom<Readonly<Record<string, unknown>>>(isPlainObject, "must be a map from names to project ids")
    .superRefine((projects, context) => {
      const wrongName = Object.keys(projects).find((name) => !isName(name));
      if (wrongName !== undefined) context.addIssue({ code: "custom", message: NAME_RULE, input: wrongName });
    })
    .pipe(z.record(z.string(), projectId.optional())),
  agents: z.array(agent, "must be a list").optional(),
  ...ruleSchemas,
});

function isName(name: string): boolean {
  return /^[\p{L}\p{N}]/u.test(name) && printable(name, 80) === name && !isUnknown(name) && name !== SIGNATURE_KEY;
}

/** A fleet is known by its projects, which are there even if the program has left them out. */
export function isFleet(args: object): boolean {
  return "projects" in args;
}

function schemaFor(args: object): typeof resourceArgumentsSchema | typeof fleetArgumentsSchema {
  return isFleet(args) ? fleetArgumentsSchema : resourceArgumentsSchema;
}

/** What is passed as the arguments of a resource, not checked yet. Null is absent, and values may be unknown yet. */
export type GivenArguments = { readonly [Name in keyof typeof resourceArgumentsSchema.shape]?: Json } & JsonMap;

/** Returns arguments as they are recorded: with the default of the one that is an output, too. */
export function withDefaults(args: GivenArguments): GivenArguments {
  return { ...args, whenUnavailable: args.whenUnavailable ?? "fail" };
}

/** Returns the arguments in a state, which may be of another version, so that it has outputs that are no arguments. */
export function argumentsInState(args: GivenArguments): GivenArguments {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name in schemaFor(args).shape));
}

/**
 * Returns why a resource with these arguments can't be read, in one sentence; empty if it can.
 * @param args those of a resource, in which null and undefined are absent, and values may be unknown yet
 * @param secrets names among which are those of the arguments that are secrets
 */
export function argumentFindings(
  args: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): readonly Finding[] {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined);
  const values = withoutAbsent(Object.fromEntries(entries));
  const reportInput = entries.every(([name]) => !secrets.includes(name));
  const { error } = schemaFor(args).safeParse(values, { reportInput });
  const mistakes = (error?.issues ?? []).flatMap((issue) => {
    const [name] = issue.path;
    if (name === undefined) return [describeIssues([issue])];
    return isUnknown(args[String(name)]) ? [] : [`the argument ${describeIssues([issue])}`];
  });
  // Left out like what else is null, a project would not be read, and nobody would notice.
  const { projects } = args;
  for (const [name, id] of Object.entries(isPlainObject(projects) ? projects : {})) {
    if (id === null) mistakes.push(`the argument projects.${printable(name, 80)} is missing`);
  }
  if (mistakes.length === 0) return [];
  const message = `Nothing was read: ${listMistakes(mistakes)}.`;
  return [{ message, causeKey: message }];
}

/**
 * Returns the names of what no message may quote if these arguments are secrets, or have a secret inside: the arguments, because an
 * invalid one may be another secret; with `expect` every setting, because a message would tell what is expected of it; and with
 * `projects` the output that has their ids. A valid id of a project is quoted nevertheless.
 */
export function secretNamesBehind(args: readonly string[]): readonly string[] {
  return [...args, ...(args.includes("expect") ? SETTING_NAMES : []), ...(args.includes("projects") ? [CONFIGS] : [])];
}
