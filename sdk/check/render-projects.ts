import { styleText } from "node:util";
import type { ProjectReport } from "./diagnose.ts";
import { MARKS } from "./render-steps.ts";
import { wrapText } from "./wrap-text.ts";

const INDENT = 2;

/**
 * Renders many projects for a person: a line for each that was read, then those that failed with their advice, then how many
 * there are of each. Projects that were not reached are only counted, because the failed step above says why.
 */
export function renderProjects(projects: readonly ProjectReport[]): string {
  const { ok = [], failed = [], "not reached": others = [] } = Object.groupBy(projects, ({ status }) => status);
  const counts = [
    `${ok.length} of ${projects.length} ${projects.length === 1 ? "project" : "projects"} can be read`,
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(others.length > 0 ? [`${others.length} not reached`] : []),
  ];
  return `${[...ok, ...failed].map(renderProject).join("")}${counts.join(", ")}.\n`;
}

function renderProject({ projectId, status, monitoring, backup, message = "" }: ProjectReport): string {
  const { mark, colour } = MARKS[status];
  const logs = `monitoring logs to ${monitoring}, backup to ${backup}`;
  // A long path does not make a second line of a project that can be read.
  if (status === "ok") return `${styleText(colour, mark)} ${projectId}  ${logs}\n`;
  return `${styleText(colour, `${mark} ${projectId}\n${wrapText("", message, INDENT)}`)}\n`;
}
