import type { AgentLogConfigClient } from "../client/agent-log-config-client.ts";
import { type AgentKind, PROJECT_ID } from "../client/agent-log-config-id.ts";
import { printable } from "../client/printable.ts";
import { configurationWarnings } from "../shared/connection-settings.ts";
import { describeError, describeSettingsFailure, describeSteps, type Outcome } from "./describe-steps.ts";
import { observeConnections } from "./observe-connections.ts";
import { type OpenedService, openService } from "./open-service.ts";
import { readStackConfiguration } from "./read-stack-configuration.ts";
import { STEPS, type Step } from "./steps.ts";

/** The result of both reads of one project. */
export interface ProjectReport {
  readonly projectId: string;
  readonly status: "ok" | "failed" | "not reached";
  /** Where the agent logs to; absent where that was not read. */
  readonly monitoring?: string;
  /** Where the agent logs to; absent where that was not read. */
  readonly backup?: string;
  /** The code of the error, where a read failed. */
  readonly code?: string;
  /** What is wrong and what to do about it, where a read failed. */
  readonly message?: string;
}

export interface Diagnosis {
  /** All steps of the first project. */
  readonly steps: readonly Step[];
  /** In the order in which they were given. */
  readonly projects: readonly ProjectReport[];
}

/** Projects that are read at once, as many as the client has connections. */
const PROJECTS_AT_ONCE = 16;

/**
 * Reads the settings of both agents of each project as a program does, and says how far each read came. The first project
 * shows whether the connection works; without one the others are not read.
 * @param stack the stack whose configuration has the settings; undefined for the environment alone
 * @param projectIds one or more; an id that is malformed is a failure of that project alone
 * @param onRead called after each project with how many are read, and how many there are
 */
export async function diagnose(
  stack: string | undefined,
  projectIds: readonly string[],
  onRead: (done: number, total: number) => void = () => {},
): Promise<Diagnosis> {
  const reports = new Map<string, ProjectReport>();
  // The same id in another case is the same project.
  for (const id of projectIds) if (!reports.has(id.toLowerCase())) reports.set(id.toLowerCase(), notRead(id));
  const readable = [...reports.values()].filter(({ status }) => status === "not reached");
  let warning: string | undefined;
  const toDiagnosis = ([settings, ...steps]: readonly Step[]): Diagnosis => ({
    steps: settings ? [{ ...settings, ...(warning === undefined ? {} : { warning }) }, ...steps] : [],
    projects: [...reports.values()],
  });
  const seen = observeConnections();
  let service: OpenedService;
  try {
    const configuration = stack === undefined ? {} : await readStackConfiguration(stack);
    const values = Object.fromEntries(Object.entries(configuration).map(([key, { value }]) => [key, value]));
    const warnings = configurationWarnings(values, (key) => configuration[key]?.secret === true);
    if (warnings.length > 0) warning = warnings.join(" ");
    service = openService(configuration);
  } catch (error) {
    if (stack === undefined && describeError(error).code === "ERR_MISSING_SETTINGS") {
      warning = "Without --stack only the environment is looked up; pass --stack <name> for the settings of a stack.";
    }
    return toDiagnosis(describeSettingsFailure(error));
  }
  let done = 0;
  const report = (projectId: string, outcome: Outcome) => {
    reports.set(projectId.toLowerCase(), { projectId, ...describeOutcome(outcome) });
    done += 1;
    onRead(done, readable.length);
  };
  try {
    const [first, ...others] = readable.map(({ projectId }) => projectId);
    if (first === undefined) return toDiagnosis(describeSteps(service, seen, {}));
    let shown = await readProject(service.client, first);
    if (isConnectionFailure(describeSteps(service, seen, shown)))
      return toDiagnosis(describeSteps(service, seen, shown));
    report(first, shown);
    await eachAtOnce(others, async (projectId) => {
      const outcome = await readProject(service.client, projectId);
      report(projectId, outcome);
      // The project that came furthest says most about the connection.
      if (shown.error !== undefined && outcome.error === undefined) shown = outcome;
    });
    return toDiagnosis(describeSteps(service, seen, shown));
  } finally {
    await service.client.close();
  }
}

async function readProject(client: AgentLogConfigClient, projectId: string): Promise<Outcome> {
  const read = async (agent: AgentKind) => {
    const { logPath } = await client.get({ projectId, agent });
    return logPath === undefined ? "standard error" : printable(logPath);
  };
  let outcome: Outcome = {};
  try {
    outcome = { monitoring: await read("monitoring") };
    return { ...outcome, backup: await read("backup") };
  } catch (error) {
    return { ...outcome, error };
  }
}

async function eachAtOnce(projectIds: readonly string[], read: (projectId: string) => Promise<unknown>): Promise<void> {
  const queue = projectIds.values();
  const readNext = async () => {
    for (const projectId of queue) await read(projectId);
  };
  await Promise.all(Array.from({ length: PROJECTS_AT_ONCE }, readNext));
}

function notRead(projectId: string): ProjectReport {
  if (PROJECT_ID.test(projectId)) return { projectId, status: "not reached" };
  const message = "The id is malformed: it must be 24 hexadecimal digits.";
  return { projectId: printable(projectId, 80), status: "failed", code: "ERR_INVALID_ARG_VALUE", message };
}

function describeOutcome({ error, ...read }: Outcome): Omit<ProjectReport, "projectId"> {
  return error === undefined ? { status: "ok", ...read } : { status: "failed", ...read, ...describeError(error) };
}

function isConnectionFailure(steps: readonly Step[]): boolean {
  const failed = steps.findIndex(({ status }) => status === "failed");
  return failed >= 0 && failed < STEPS.indexOf("role");
}
