import { z } from "zod";
import { actualValue, firstThatFit, listUnknownNames, printable } from "../text/printable.ts";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "./errors.ts";

/**
 * Parses what a caller passes.
 * @param subject how the message of an error begins
 * @throws AgentLogConfigError that names every member that is wrong and what it must be
 */
export function parseArgument<T>(
  schema: z.ZodType<T>,
  value: unknown,
  subject: string,
  { code = "ERR_INVALID_ARG_VALUE", placeOf, isSecret = true }: ParseOptions = {},
): T {
  const { success, data, error } = schema.safeParse(value, { reportInput: !isSecret });
  if (success) return data;
  throw new AgentLogConfigError(code, describeIssues(error.issues, undefined, placeOf), { subject });
}

/** Returns the place that a member comes from, as a message names it; undefined if a message does not name it. */
export type PlaceOf = (name: string) => string | undefined;

export interface ParseOptions {
  readonly code?: AgentLogConfigErrorCode;
  readonly placeOf?: PlaceOf | undefined;
  /** The value may have secrets, so the error does not quote it. Default: true. */
  readonly isSecret?: boolean | undefined;
}

/**
 * Says in one sentence what is wrong with a value: the path of each part, what it must be, and the part itself if the issues have
 * it.
 * @param whole names the value itself
 */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  whole = "the argument",
  placeOf: PlaceOf = () => undefined,
): string {
  return listMistakes(issues.flatMap((issue) => wrongMembersOf(issue, [])).map(describeMember));

  function describeMember({ path, message, input }: Mistake): string {
    const [first] = path;
    if (first === undefined) return `${whole} ${message}`;
    const place = placeOf(String(first));
    return `${printable(path.join("."), 80)}${place === undefined ? "" : ` (${place})`} ${message}${actualValue(input)}`;
  }
}

/** The most mistakes that a message names, so that it stays readable. */
const MAX_MISTAKES = 10;

/** Joins what is wrong with a value to the end of a sentence: the first ten, and the number of the others. */
export function listMistakes(mistakes: readonly string[]): string {
  const firstMistakes = firstThatFit(mistakes, MAX_MISTAKES);
  const others = mistakes.length - firstMistakes.length;
  const end = others > 0 ? [`and ${others} other${others > 1 ? "s" : ""}`] : [];
  return [...firstMistakes, ...end].join("; ");
}

type Mistake = Pick<z.core.$ZodIssue, "path" | "message" | "input">;

/** If a value fits none of several schemas, it returns what is wrong with the members of an object, because that says more. */
function wrongMembersOf(issue: z.core.$ZodIssue, parents: readonly PropertyKey[]): Mistake[] {
  const path = [...parents, ...issue.path];
  const alternatives = issue.code === "invalid_union" ? issue.errors : [];
  const memberIssues = alternatives.find((inner) =>
    inner.some(({ path, code }) => path.length > 0 || code !== "invalid_type"),
  );
  return memberIssues?.flatMap((inner) => wrongMembersOf(inner, path)) ?? [{ ...issue, path }];
}

/** A schema of an object that has no other members. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return "must be an object";
      const option = OPTIONS.find((name) => issue.keys.includes(name));
      const advice = option === undefined ? "" : `; ${option} belongs in the options, which follow the arguments`;
      return `has unknown names: ${listUnknownNames(issue.keys, names)}${advice}`;
    },
  });
}

/** Options of Pulumi that programs pass among the arguments. */
const OPTIONS = ["provider", "dependsOn", "ignoreChanges"];

/** Returns what to say of a member that is not as it must be. */
export function unlessMissing(rule: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? "is missing" : rule);
}

/** A schema of what may be undefined. With `.optional()`, the type of the member would say that it may be missing, too. */
export function maybe<Inner extends z.ZodType>(inner: Inner): z.ZodUnion<[Inner, z.ZodUndefined]> {
  return z.union([inner, z.undefined()], { error: ({ input }) => inner.safeParse(input).error?.issues[0]?.message });
}
