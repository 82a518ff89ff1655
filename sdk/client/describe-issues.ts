import { inspect } from "node:util";
import type { z } from "zod";
import { describeUnknownNames } from "./describe-unknown-names.ts";
import { isObject } from "./is-object.ts";
import { printable } from "./printable.ts";

type Issue = z.core.$ZodIssue;

/**
 * One sentence for all that is wrong with a value: the path of each part, what it must be and, given the value, what it is.
 * @param known the names that it may have
 */
export function describeIssues(issues: readonly Issue[], known: readonly string[] = [], value?: unknown): string {
  return issues.map((issue) => describeIssue(issue, known, value)).join("; ");
}

function describeIssue(issue: Issue, known: readonly string[], value: unknown): string {
  if (issue.code === "unrecognized_keys") return `unknown: ${describeUnknownNames(issue.keys, known)}`;
  const path = issue.path.join(".") || "the value";
  return value === undefined
    ? `${path} ${say(issue)}`
    : `${path} ${say(issue)}, not ${quote(valueAt(value, issue.path))}`;
}

function say(issue: Issue): string {
  return issue.code === "invalid_type" ? `must be ${article(issue.expected)}` : issue.message;
}

function article(type: string): string {
  if (type === "int") return "a whole number";
  if (type === "record") return "an object";
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

function quote(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : inspect(value, { depth: 1, customInspect: false });
  return printable(text, 80);
}
