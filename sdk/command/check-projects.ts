import { configurationWarnings, lookUpConnection, stackConfiguration } from "../connection/connection-settings.ts";
import { openClient } from "../connection/open-client.ts";
import { readUsable } from "../connection/settings-reader.ts";
import { AGENTS, PROJECT_ID } from "../model/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { type AgentLogConfigError, CODES, errorOf } from "../model/errors.ts";
import { printable } from "../model/printable.ts";
import type { ReadArguments } from "../model/read-arguments.ts";
import { findingOf } from "../record/finding-report.ts";
import { readCommandLine, wrongArguments } from "./command-line.ts";
import { hasProject, readStack, type StackConfiguration } from "./read-stack.ts";
import { type CheckReport, type ProjectReport, renderReport } from "./render-report.ts";

/** Reads projects with the connection of a stack or of the environment, and prints what came of it. Returns the exit code. */
export async function checkProjects(args: readonly string[]): Promise<number> {
  const options = await readCommandLine(args).catch((error: Error) => error);
  if (options instanceof Error) return wrongArguments(options);
  const { stack, projectIds, json } = options;
  const isCounted = !json && process.stderr.isTTY && projectIds.length > 1;
  const report = await readProjects(stack, projectIds, isCounted ? showCount : () => {});
  if (isCounted) process.stderr.write(CLEARED_LINE);
  process.stdout.write(json ? toJson(report) : renderReport(report));
  return report.ok ? 0 : 1;
}

const CLEARED_LINE = "\r\u001b[K";

function showCount(read: number, all: number): void {
  process.stderr.write(`${CLEARED_LINE}${read} of ${all} projects`);
}

async function readProjects(
  stack: string | undefined,
  projectIds: readonly [string, ...string[]],
  count: typeof showCount,
): Promise<CheckReport> {
  const reports = new Map<string, ProjectReport>();
  const warnings: string[] = [];
  let settings: CheckReport["settings"] = {};
  // A malformed id says nothing about the connection.
  const first = projectIds.find((id) => PROJECT_ID.test(id)) ?? projectIds[0];
  const isSelected = stack === undefined && hasProject();
  try {
    const configuration = await readConfiguration(stack, isSelected, warnings);
    const values = Object.fromEntries(Object.entries(configuration).map(([key, { value }]) => [key, value]));
    warnings.push(...configurationWarnings(values, (key) => configuration[key]?.secret === true));
    const connection = lookUpConnection(stackConfiguration((key) => values[key]));
    const nameOfSource = (source = "") => (source === "stack" && isSelected ? "selected stack" : source);
    settings = Object.fromEntries(
      Object.entries(connection).map(([name, setting]) => [name, nameOfSource(setting?.source)]),
    );
    const client = openClient(connection);
    // A retry would hide the first failure.
    const options = { maxRetries: 0 };
    const readNext = async (id: string) => {
      const project = await readProject(
        async (readArguments) => readUsable(connection, client, readArguments, options),
        id,
      );
      reports.set(id, project);
      count(reports.size, projectIds.length);
      return project;
    };
    const { code } = await readNext(first);
    const isHopeless = code !== undefined && CODES[code].everyRead;
    if (!isHopeless) await Promise.all(projectIds.filter((id) => id !== first).map(readNext));
  } catch (error) {
    reports.set(first, failedProject(first, withSettingsPlaces(errorOf(error), stack !== undefined || isSelected)));
  }
  const projects = projectIds.map(
    (projectId) => reports.get(projectId) ?? { projectId, status: "not reached" as const },
  );
  const ok = projects.every(({ status }) => status === "ok");
  return { ok, settings, projects, warning: warnings.join(" ") || undefined };
}

async function readProject(
  read: (readArguments: ReadArguments) => Promise<AgentLogConfigResult>,
  projectId: string,
): Promise<ProjectReport> {
  const logs: { monitoring?: string; backup?: string } = {};
  try {
    for (const agent of AGENTS) {
      const { logPath } = await read({ projectId, agent });
      logs[agent] = logPath === undefined ? "standard error" : printable(logPath);
    }
    return { projectId, status: "ok", ...logs };
  } catch (error) {
    return { ...failedProject(projectId, error), ...logs };
  }
}

function failedProject(projectId: string, error: unknown): ProjectReport {
  return { projectId, status: "failed", code: errorOf(error).code, ...findingOf(error) };
}

const INTERNAL = ["cause", "isUnsent"];

/** If the selected stack can't be read, the environment may have all that is needed. */
async function readConfiguration(
  stack: string | undefined,
  isSelected: boolean,
  warnings: string[],
): Promise<StackConfiguration> {
  if (!isSelected) return stack === undefined ? {} : readStack(stack);
  return readStack(undefined).catch((error: unknown) => {
    warnings.push(errorOf(error).advised("So check uses the environment alone.").message);
    return {};
  });
}

/** Says where else settings may be that are missing. */
function withSettingsPlaces(error: AgentLogConfigError, hasStack: boolean): AgentLogConfigError {
  if (error.code !== "ERR_MISSING_SETTINGS") return error;
  const ofStack = "There is no Pulumi project in this folder, so check used the environment alone.";
  const ofProvider = "check can't use the arguments of a Provider: to try them, set these environment variables.";
  return error.advised(hasStack ? ofProvider : `${ofStack} ${ofProvider}`);
}

/** Leaves out the members that only say which findings are alike. */
function toJson(report: CheckReport): string {
  const json = JSON.stringify(report, (name, value: unknown) => (INTERNAL.includes(name) ? undefined : value), 2);
  return `${json}\n`;
}
