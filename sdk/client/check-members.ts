import { inspect } from "node:util";
import { invalidArgument } from "./errors.ts";
import { isObject } from "./is-object.ts";
import { printable } from "./printable.ts";

/** What a member of an object must be. */
export interface Rule<T> {
  readonly fits: (value: unknown) => value is T;
  /** What a message says about a value that does not fit. */
  readonly says: string;
  /** Whether a message may show the value. */
  readonly isShown: boolean;
}

export type Rules<T> = { readonly [K in keyof T]-?: Rule<T[K]> };

/**
 * Checks that a value is an object whose members follow these rules and that it has no other members.
 * @param failure how the message begins
 * @param placeOf returns the place that a member comes from, as a message names it
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` that names every member that is wrong
 */
export function checkMembers<T>(
  value: unknown,
  rules: Rules<T>,
  failure: string,
  placeOf: (name: string) => string | undefined = () => undefined,
): asserts value is T {
  if (!isObject(value)) throw invalidArgument(`${failure}: an object is required, not ${show(value)}.`);
  const problems: string[] = [];
  for (const name in rules) {
    const { fits, says, isShown } = rules[name];
    const member = value[name];
    if (!fits(member))
      problems.push(`${withPlace(name, placeOf(name))} ${says}${isShown ? `, not ${show(member)}` : ""}`);
  }
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(rules, name));
  if (unknown.length > 0) {
    const names = printable(unknown.join(", "), 100);
    problems.push(`unknown: ${names} (the names are ${Object.keys(rules).join(", ")})`);
  }
  if (problems.length > 0) throw invalidArgument(`${failure}: ${problems.join("; ")}.`);
}

/** Returns a name together with the place that its value comes from, where that is known. */
export function withPlace(name: string, place: string | undefined): string {
  return place === undefined ? name : `${name} (${place})`;
}

function show(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : inspect(value, { depth: 1, customInspect: false });
  return printable(text, 80);
}
