import { inspect } from "node:util";
import { invalidArgument } from "./errors.ts";
import { isObject } from "./is-object.ts";
import { printable } from "./printable.ts";

/** A type guard, and what a message says of a value that it rejects. */
type Rule<T> = readonly [fits: (value: unknown) => value is T, says: string];
export type Rules<T> = { readonly [K in keyof T]-?: Rule<T[K]> };

interface Wording {
  /** Whether the message may show the value of this member. Default: no. */
  readonly isShown?: (name: string) => boolean;
  /** Returns the place that the value comes from, where that is known. */
  readonly placeOf?: ((name: string) => string | undefined) | undefined;
}

/**
 * Checks that a value is an object whose members follow these rules and that it has no other members.
 * @param failure how the message begins
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` that names every member that is wrong
 */
export function checkMembers<T>(
  value: unknown,
  rules: Rules<T>,
  failure: string,
  { isShown, placeOf }: Wording = {},
): asserts value is T {
  if (!isObject(value)) throw invalidArgument(`${failure}: an object is required, not ${show(value)}.`);
  const problems: string[] = [];
  for (const name in rules) {
    const [fits, says] = rules[name];
    if (fits(value[name])) continue;
    const what = isShown?.(name) ? `${says}, not ${show(value[name])}` : says;
    problems.push(`${withPlace(name, placeOf?.(name))} ${what}`);
  }
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(rules, name));
  if (unknown.length > 0) {
    const names = printable(unknown.join(", "), 100);
    problems.push(`unknown names: ${names}; the valid ones are ${Object.keys(rules).join(", ")}`);
  }
  if (problems.length > 0) throw invalidArgument(`${failure}: ${problems.join("; ")}.`);
}

export function withPlace(name: string, place: string | undefined): string {
  return place === undefined ? name : `${name} (${place})`;
}

export function isFlag(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === "boolean";
}

function show(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : inspect(value, { depth: 1, customInspect: false });
  return printable(text, 80);
}
