import { styleText } from "node:util";
import type { AgentLogConfigErrorCode } from "../model/errors.ts";
import { type Finding, FindingReport } from "../record/finding-report.ts";

/** What the command says. */
export interface CheckReport {
  /** Every project was read. */
  readonly ok: boolean;
  /** Where each setting of the connection is, by its name. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** In the order in which they were given. */
  readonly projects: readonly ProjectReport[];
  /** What else is wrong, and what to do about it. */
  readonly warning?: string | undefined;
}

/** How far both reads of one project came: where the agents log to, and the finding if one was not read. */
export interface ProjectReport extends Partial<Finding> {
  readonly code?: AgentLogConfigErrorCode;
  readonly projectId: string;
  readonly status: "ok" | "failed" | "not reached";
  readonly monitoring?: string;
  readonly backup?: string;
}

/**
 * Renders a report for a person: where the settings are, a line for each project that was read, one for each cause of failures,
 * and for many projects how many there are of each.
 */
export function renderReport({ settings, warning, projects }: CheckReport): string {
  const {
    ok = [],
    failed: failures = [],
    "not reached": others = [],
  } = Object.groupBy(projects, ({ status }) => status);
  const lines: string[] = [];
  const names = Object.keys(settings);
  const places = Object.entries(Object.groupBy(names, (name) => settings[name] ?? ""));
  const parts = places.map(([place, settingNames = []]) => `from the ${place}: ${settingNames.join(", ")}`);
  if (parts.length > 0) lines.push(`Settings ${parts.join("; ")}`);
  if (warning !== undefined) lines.push(styleText("yellow", `! ${warning}`));
  for (const { projectId, monitoring, backup } of ok) {
    lines.push(`${styleText("green", "✓")} ${projectId}  monitoring logs to ${monitoring}, backup to ${backup}`);
  }
  const report = new FindingReport();
  for (const { message = "", cause = "", ...project } of failures)
    report.note(project.projectId, { ...project, message, cause });
  for (const { message } of report.entries()) lines.push(styleText("red", `✗ ${message}`));
  const counts = [`${ok.length} of ${projects.length} projects can be read`];
  if (failures.length > 0) counts.push(`${failures.length} failed`);
  if (others.length > 0) counts.push(`${others.length} not reached`);
  if (projects.length > 1) lines.push(`${counts.join(", ")}.`);
  return lines.map((line) => `${line}\n`).join("");
}
