import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** Says in one sentence everything that is wrong with a value: the path of each part, and what it must be. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(describeIssue).join("; ");
}

function describeIssue(issue: Issue): string {
  if (issue.code === "unrecognized_keys") return `unknown names: ${issue.keys.join(", ")}`;
  const says = issue.code === "invalid_type" ? `must be of type ${issue.expected}` : issue.message;
  return `${issue.path.join(".") || "the value"} ${says}`;
}
