import { AGENTS, PROJECT_ID } from "../client/agent-log-config-id.ts";
import { ReadGate } from "../client/read-gate.ts";
import { printable } from "../digest/printable.ts";
import { refuseEngineMarks } from "../shared/engine-marks.ts";
import { problemOf } from "../shared/reading.ts";
import type { UncheckedClient } from "../shared/settings-reader.ts";
import { readCommandLine, USAGE } from "./command-line.ts";
import { makeReport, type ProjectReport, type Report } from "./make-report.ts";
import type { Findings } from "./observe-connections.ts";
import { openService } from "./open-service.ts";
import { suggestStack } from "./read-stack.ts";
import { renderReport } from "./render-report.ts";
import { wrongArguments } from "./wrong-arguments.ts";

/** Tries a connection step by step, and prints what it finds. Returns the exit code. */
export async function check(args: readonly string[]): Promise<number> {
  const asked = await readCommandLine(args).catch((error: Error) => error);
  if (asked instanceof Error) return wrongArguments(asked);
  if (asked.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const report = await tryConnection(asked.stack, asked.projectIds);
  process.stdout.write(asked.json ? `${JSON.stringify(report, withoutCauses, 2)}\n` : renderReport(report));
  return report.ok ? 0 : 1;
}

async function tryConnection(stack: string | undefined, projectIds: readonly string[]): Promise<Report> {
  const seen: Findings = {};
  const projects = new Map<string, ProjectReport>();
  for (const projectId of projectIds) projects.set(projectId, { projectId, status: "not reached" });
  const report = () => makeReport(seen, [...projects.values()]);
  // A malformed id says nothing about the connection.
  const first = projectIds.find((id) => PROJECT_ID.test(id)) ?? projectIds[0];
  if (first === undefined) return report();
  try {
    const client = await openService(stack, seen);
    const gate = new ReadGate();
    const read = async (id: string) => projects.set(id, await readProject(client, gate, id));
    await read(first);
    const isHopeless = report().steps.some(({ status }) => status === "failed");
    const others = projectIds.filter((id) => id !== first && !isHopeless);
    await readAll(others, read);
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === "ERR_MISSING_SETTINGS") {
      seen.warning = [seen.warning, await suggestStack(stack)].filter(Boolean).join(" ");
    }
    projects.set(first, { projectId: first, status: "failed", ...problem });
  }
  return report();
}

/** Leaves out what only tells which failures are alike. */
function withoutCauses(name: string, value: unknown): unknown {
  return name === "cause" ? undefined : value;
}

/** Reads all projects, as many at once as the client has connections, and tells on a terminal how many are left. */
async function readAll(projectIds: readonly string[], read: (id: string) => Promise<unknown>): Promise<void> {
  let left = projectIds.length;
  const readNext = async (id: string) => {
    await read(id);
    left -= 1;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${left > 0 ? `projects left: ${left}` : ""}`);
  };
  await Promise.all(projectIds.map(readNext));
}

async function readProject(client: UncheckedClient, gate: ReadGate, projectId: string): Promise<ProjectReport> {
  const logs: { monitoring?: string; backup?: string } = {};
  try {
    for (const agent of AGENTS) {
      const settings = await client.get({ projectId, agent }, { gate });
      refuseEngineMarks(settings);
      const { logPath } = settings;
      logs[agent] = logPath === undefined ? "standard error" : printable(logPath);
    }
    return { projectId, status: "ok", ...logs };
  } catch (error) {
    return { projectId, status: "failed", ...logs, ...problemOf(error) };
  }
}
