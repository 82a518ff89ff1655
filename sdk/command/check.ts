import type { AgentLogConfigClient } from "../client/agent-log-config-client.ts";
import { AGENTS, PROJECT_ID } from "../client/agent-log-config-id.ts";
import { errorOf } from "../client/errors.ts";
import { printable } from "../client/printable.ts";
import { ReadGate } from "../client/read-gate.ts";
import { failureOf } from "../shared/reading.ts";
import { readUsable } from "../shared/settings-reader.ts";
import { readCommandLine, wrongArguments } from "./command-line.ts";
import { makeReport, type ProjectReport, type Report } from "./make-report.ts";
import type { Findings } from "./observe-connections.ts";
import { openObservedClient } from "./open-observed-client.ts";
import { renderReport } from "./render-report.ts";

/** Tries a connection step by step, and prints what it finds. Returns the exit code. */
export async function check(args: readonly string[]): Promise<number> {
  const options = await readCommandLine(args).catch((error: Error) => error);
  if (options instanceof Error) return wrongArguments(options);
  const report = await tryConnection(options.stack, options.projectIds);
  process.stdout.write(options.json ? toJson(report) : renderReport(report));
  return report.ok ? 0 : 1;
}

async function tryConnection(stack: string | undefined, projectIds: readonly [string, ...string[]]): Promise<Report> {
  const seen: Findings = {};
  const read = new Map<string, ProjectReport>();
  const reportOf = (projectId: string): ProjectReport => read.get(projectId) ?? { projectId, status: "not reached" };
  const report = () => makeReport(seen, projectIds.map(reportOf));
  // A malformed id says nothing about the connection.
  const first = projectIds.find((id) => PROJECT_ID.test(id)) ?? projectIds[0];
  try {
    const client = await openObservedClient(stack, seen);
    const gate = new ReadGate();
    const readNext = async (id: string) => read.set(id, await readProject(client, gate, id));
    await readNext(first);
    const isHopeless = report().steps.some(({ status }) => status === "failed");
    if (!isHopeless) await Promise.all(projectIds.filter((id) => id !== first).map(readNext));
  } catch (error) {
    const problem = { ...failureOf(error), code: errorOf(error).code };
    if (problem.code === "ERR_MISSING_SETTINGS") {
      seen.warning = [seen.warning, whereSettingsMayBe(stack)].filter(Boolean).join(" ");
    }
    read.set(first, { projectId: first, status: "failed", ...problem });
  }
  return report();
}

async function readProject(client: AgentLogConfigClient, gate: ReadGate, projectId: string): Promise<ProjectReport> {
  const logs: { monitoring?: string; backup?: string } = {};
  try {
    for (const agent of AGENTS) {
      const { logPath } = await readUsable(client, { projectId, agent }, { gate });
      logs[agent] = logPath === undefined ? "standard error" : printable(logPath);
    }
    return { projectId, status: "ok", ...logs };
  } catch (error) {
    return { projectId, status: "failed", ...logs, ...failureOf(error), code: errorOf(error).code };
  }
}

/** @param stack the stack whose settings were looked up; undefined if it was the environment alone */
function whereSettingsMayBe(stack: string | undefined): string {
  const ofStack =
    "Without --stack only the environment is looked up; for the settings of a stack pass its name with --stack.";
  const ofProvider =
    "Only a program knows the arguments of its Provider: to try them, set the environment variables that the message names.";
  return stack === undefined ? `${ofStack} ${ofProvider}` : ofProvider;
}

/** Leaves out the causes, which only say which failures are alike. */
function toJson(report: Report): string {
  const json = JSON.stringify(report, (name, value: unknown) => (name === "cause" ? undefined : value), 2);
  return `${json}\n`;
}
