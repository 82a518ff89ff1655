import { parseArgs, styleText } from "node:util";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import { type AgentLogConfigError, errorOf } from "../model/errors.ts";
import { actualValue, printable } from "../model/printable.ts";
import { AGENTS, agentLogConfigId, PROJECT_ID, type ReadArguments } from "../model/read-arguments.ts";
import {
  type ConnectionSettings,
  configurationKey,
  configurationWarnings,
  lookUpConnection,
  stackConfiguration,
} from "../reading/connection-settings.ts";
import { openClient } from "../reading/open-client.ts";
import { ReadProgress } from "../reading/read-progress.ts";
import { readUsable } from "../reading/settings-reader.ts";
import { errorFinding, FindingReport } from "../record/finding-report.ts";
import { hasProject, readStack, type StackConfiguration, selectedStack } from "./read-stack.ts";
import { wrongArguments } from "./wrong-arguments.ts";

interface CheckReport {
  /** Where each setting of the connection is, by its name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Scheme, host and port of the service; undefined if they are a secret of the stack, or not known. */
  readonly service?: string | undefined;
  readonly warnings: readonly string[];
  readonly configs: readonly AgentLogConfigResult[];
  readonly failures: readonly Failure[];
}

interface Failure {
  readonly error: AgentLogConfigError;
  /** undefined if there is no connection to read with. */
  readonly read?: ReadArguments | undefined;
}

/** Reads projects with the connection of a stack or of the environment, and prints what came of it. Returns the exit code. */
export async function checkProjects(args: readonly string[]): Promise<number> {
  let options: ReturnType<typeof parseOptions>;
  try {
    options = parseOptions(args);
  } catch (error) {
    return wrongArguments(error);
  }
  const report = await readProjects(options.stack, options.project);
  process.stdout.write(options.json ? toJson(report) : render(report));
  return report.failures.length === 0 ? 0 : 1;
}

/** @throws Error whose message says what is wrong with the arguments */
function parseOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      project: { type: "string", short: "p", multiple: true, default: [] },
      stack: { type: "string", short: "s" },
      json: { type: "boolean", default: false },
    },
  });
  const { project: ids, stack } = values;
  if (ids.length === 0) throw new Error("Pass the id of a project with --project.");
  const wrongId = ids.find((id) => !PROJECT_ID.test(id));
  if (wrongId !== undefined) {
    throw new Error(`--project needs the id of a project, 24 hexadecimal digits${actualValue(wrongId)}.`);
  }
  // The Pulumi CLI would take the selected stack, but the name may be a variable that is not set.
  if (stack === "") throw new Error("--stack needs the name of a stack.");
  return values;
}

async function readProjects(stack: string | undefined, projectIds: readonly string[]): Promise<CheckReport> {
  const isSelected = stack === undefined && hasProject();
  let sources: ConnectionSources = { settings: {}, warnings: [], hasReadStack: false };
  try {
    const { connection, ...found } = await connectionOfStack(stack, isSelected);
    sources = found;
    // The reads may take long.
    process.stderr.write(describeSources(sources));
    const client = openClient(connection);
    const progress = new ReadProgress((text) => process.stderr.write(`${text}\n`));
    const reads = [...new Set(projectIds)].flatMap((projectId) => AGENTS.map((agent) => ({ projectId, agent })));
    // A retry would hide the first failure.
    const outcomes = await Promise.allSettled(
      reads.map((read) => progress.during(() => readUsable(connection, client, read, { maxRetries: 0 }))),
    );
    const configs = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    const failures = outcomes.flatMap((outcome, index) => {
      return outcome.status === "rejected" ? [{ error: errorOf(outcome.reason), read: reads[index] }] : [];
    });
    return { ...sources, configs, failures };
  } catch (error) {
    const known = errorOf(error);
    const isMissing = known.code === "ERR_MISSING_SETTINGS";
    const advice = isMissing ? await adviceForMissingSettings(stack, isSelected, sources.hasReadStack) : undefined;
    return { ...sources, configs: [], failures: [{ error: advice === undefined ? known : known.withAdvice(advice) }] };
  }
}

interface ConnectionSources extends Pick<CheckReport, "settings" | "service" | "warnings"> {
  readonly hasReadStack: boolean;
}

async function connectionOfStack(
  stack: string | undefined,
  isSelected: boolean,
): Promise<ConnectionSources & { readonly connection: ConnectionSettings }> {
  const { configuration, warnings, hasReadStack } = await readConfiguration(stack, isSelected);
  const values = Object.fromEntries(Object.entries(configuration).map(([key, { value }]) => [key, value]));
  const isSecret = (key: string) => configuration[key]?.secret === true;
  const connection = lookUpConnection(stackConfiguration((key) => values[key]));
  // The Pulumi CLI takes the selected stack from this variable, if it is set.
  const knownStack = stack ?? process.env["PULUMI_STACK"];
  const stackName = knownStack ? `stack ${printable(knownStack, 80)}` : "selected stack";
  const places = Object.entries(connection).map(([name, setting]) => {
    return [name, setting?.source === "stack" ? stackName : (setting?.source ?? "")] as const;
  });
  // An origin has no credentials.
  const origin = URL.parse(connection.baseUrl?.text ?? "")?.origin;
  const service = isSecret(configurationKey("baseUrl")) || origin === "null" ? undefined : origin;
  const allWarnings = [...warnings, ...configurationWarnings(values, isSecret)];
  return { connection, settings: Object.fromEntries(places), service, warnings: allWarnings, hasReadStack };
}

/** If the selected stack can't be read, the environment may have all that is needed. */
async function readConfiguration(
  stack: string | undefined,
  isSelected: boolean,
): Promise<Pick<ConnectionSources, "warnings" | "hasReadStack"> & { readonly configuration: StackConfiguration }> {
  const hasReadStack = stack !== undefined || isSelected;
  try {
    return { configuration: hasReadStack ? await readStack(stack) : {}, warnings: [], hasReadStack };
  } catch (error) {
    if (!isSelected) throw error;
    const warning = errorOf(error).withAdvice("So check uses the environment alone.").message;
    return { configuration: {}, warnings: [warning], hasReadStack: false };
  }
}

/** Says where settings that are missing were looked for. A warning tells of a selected stack that could not be read. */
async function adviceForMissingSettings(
  stack: string | undefined,
  isSelected: boolean,
  hasReadStack: boolean,
): Promise<string> {
  const providerAdvice = "check can't use the arguments of a Provider: to try them, set these environment variables.";
  const name = stack ?? (hasReadStack ? await selectedStack() : undefined);
  if (name !== undefined) return `check used the environment and the stack ${printable(name, 80)}. ${providerAdvice}`;
  const alone = "There is no Pulumi project in this folder, so check used the environment alone.";
  return isSelected ? providerAdvice : `${alone} ${providerAdvice}`;
}

/** Other settings may be secrets. */
function toJson({ settings, service, warnings, configs, failures }: CheckReport): string {
  const report = {
    ok: failures.length === 0,
    settings,
    service,
    warnings,
    configs: configs.map(({ projectId, agent, logPath, logPathWindows }) => ({
      projectId,
      agent,
      logPath,
      logPathWindows,
    })),
    failures: failures.map(({ error: { code, message, temporary }, read }) => ({ ...read, code, message, temporary })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

function describeSources({ settings, service }: ConnectionSources): string {
  const places = Object.entries(Object.groupBy(Object.keys(settings), (name) => settings[name] ?? ""));
  const nameWithValue = (name: string) => (name === "baseUrl" && service !== undefined ? `${name} ${service}` : name);
  const parts = places.map(([place, names = []]) => `from the ${place}: ${names.map(nameWithValue).join(", ")}`);
  return parts.length > 0 ? `Settings ${parts.join("; ")}\n` : "";
}

/** Says where each agent logs to, and what has failed, each cause once. */
function render({ warnings, configs, failures }: CheckReport): string {
  const report = new FindingReport();
  for (const { error, read } of failures) {
    report.note(read === undefined ? "" : agentLogConfigId(read.projectId, read.agent), errorFinding(error));
  }
  const lines = [
    ...warnings.map((warning) => styleText("yellow", `! ${warning}`)),
    ...configs.map((config) => `${styleText("green", "✓")} ${config.id} logs to ${destinationOf(config)}`),
    ...report.entries().map(({ message }) => styleText("red", `✗ ${message}`)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** Without a path an agent logs to standard error, and on Windows to the Event Log. */
function destinationOf({ logPath, logPathWindows }: AgentLogConfigResult): string {
  const paths = [logPath, logPathWindows && `on Windows ${logPathWindows}`].filter((path) => path !== undefined);
  return paths.length > 0 ? printable(paths.join(", ")) : "standard error, on Windows to the Event Log";
}
