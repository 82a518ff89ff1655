import { styleText } from "node:util";
import { FailureReport } from "../shared/failure-report.ts";
import type { Report, Step } from "./make-report.ts";

/**
 * Renders a report for a person: a line for each step, and for many projects a line for each that was read, one for each cause
 * of failures, and how many there are of each.
 */
export function renderReport({ warning, steps, projects }: Report): string {
  const { ok = [], failed = [], "not reached": others = [] } = Object.groupBy(projects, ({ status }) => status);
  const isExplained = failed.length === 0 || steps.some(({ status }) => status === "failed");
  const lines = steps.map(({ step, status, message }) => {
    const isSeen = status === "ok" || status === "failed";
    return paint(status, step.padEnd(12) + (isSeen ? message : [status, message].filter(Boolean).join(": ")));
  });
  if (warning !== undefined) lines.push(styleText("yellow", `! ${"warning".padEnd(12)}${warning}`));
  if (projects.length > 1 || !isExplained) {
    const report = new FailureReport();
    for (const { projectId, message = "", cause = "" } of failed) report.note(projectId, [{ message, cause }]);
    const failures = report.entries().map(({ resource, message }) => `${resource}: ${message}`);
    const counts = [`${ok.length} of ${projects.length} projects can be read`];
    if (failed.length > 0) counts.push(`${failed.length} failed`);
    if (others.length > 0) counts.push(`${others.length} not reached`);
    lines.push(
      ...ok.map((read) =>
        paint("ok", `${read.projectId}  monitoring logs to ${read.monitoring}, backup to ${read.backup}`),
      ),
      ...(isExplained ? [] : failures.map((line) => paint("failed", line))),
      `${counts.join(", ")}.`,
    );
  }
  return lines.map((line) => `${line}\n`).join("");
}

function paint(status: Step["status"], line: string): string {
  if (status === "ok") return `${styleText("green", "✓")} ${line}`;
  return status === "failed" ? styleText("red", `✗ ${line}`) : styleText("dim", `- ${line}`);
}
