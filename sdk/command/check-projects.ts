import { parseArgs, styleText } from "node:util";
import { errorFinding } from "../findings/finding.ts";
import { listOf } from "../findings/finding-report.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import { type AgentLogConfigError, errorOf } from "../model/errors.ts";
import { AGENTS, idOf, PROJECT_ID, type ReadArguments } from "../model/read-arguments.ts";
import {
  type ConnectionSettings,
  configurationKey,
  configurationWarnings,
  lookUpConnection,
  stackConfiguration,
} from "../reading/connection-settings.ts";
import { SettingsReader } from "../reading/settings-reader.ts";
import { isObject } from "../text/json.ts";
import { actualValue, printable } from "../text/printable.ts";
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
    const isPositional = isObject(error) && error["code"] === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL";
    return wrongArguments(isPositional ? "Write --project before the id of a project." : error);
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

async function readProjects(stackName: string | undefined, projectIds: readonly string[]): Promise<CheckReport> {
  let sources: ConnectionSources = { settings: {}, warnings: [] };
  try {
    const reading = await readStackOrNone(stackName);
    const { connection, ...connectionSources } = connectionIn(reading);
    sources = connectionSources;
    // The reads may take long.
    process.stderr.write(describeSources(sources));
    // A retry would hide the first failure.
    const reader = new SettingsReader((text) => process.stderr.write(`${text}\n`), { maxRetries: 0 });
    await reader.open(connection).catch((error) => {
      throw withSearchedPlaces(errorOf(error), reading);
    });
    const reads = [...new Set(projectIds)].flatMap((projectId) => AGENTS.map((agent) => ({ projectId, agent })));
    const outcomes = await Promise.allSettled(reads.map((read) => reader.read(connection, read)));
    const configs = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    const failures = outcomes.flatMap((outcome, index) => {
      return outcome.status === "rejected" ? [{ error: errorOf(outcome.reason), read: reads[index] }] : [];
    });
    return { ...sources, configs, failures };
  } catch (error) {
    return { ...sources, configs: [], failures: [{ error: errorOf(error) }] };
  }
}

/** What check has beside the environment. */
interface StackReading {
  readonly configuration: StackConfiguration;
  /** How messages name the stack; undefined if none was read. */
  readonly stack?: string;
  /** Says why the selected stack could not be read. */
  readonly warning?: string;
}

/** Reads the stack that is named, or else the selected one, if there is a project. */
async function readStackOrNone(name: string | undefined): Promise<StackReading> {
  if (name !== undefined) return { configuration: await readStack(name), stack: nameStack(name) };
  if (!hasProject()) return { configuration: {} };
  try {
    const [configuration, selectedName] = await Promise.all([readStack(undefined), selectedStack()]);
    return { configuration, stack: selectedName === undefined ? "selected stack" : nameStack(selectedName) };
  } catch (error) {
    // The environment may have all that is needed.
    return { configuration: {}, warning: errorOf(error).withAdvice("So check uses the environment alone.").message };
  }
}

function nameStack(name: string): string {
  return `stack ${printable(name, 80)}`;
}

type ConnectionSources = Pick<CheckReport, "settings" | "service" | "warnings">;

function connectionIn({ configuration, stack = "", warning }: StackReading): ConnectionSources & {
  readonly connection: ConnectionSettings;
} {
  const values = Object.fromEntries(Object.entries(configuration).map(([key, { value }]) => [key, value]));
  const isSecret = (key: string) => configuration[key]?.secret === true;
  const connection = lookUpConnection(stackConfiguration((key) => values[key]));
  const places = Object.entries(connection).map(([name, setting]) => {
    return [name, setting?.source === "stack" ? stack : (setting?.source ?? "")] as const;
  });
  // An origin has no credentials.
  const origin = URL.parse(connection.baseUrl?.text ?? "")?.origin;
  const service = isSecret(configurationKey("baseUrl")) || origin === "null" ? undefined : origin;
  const warnings = [warning ?? [], configurationWarnings(values, isSecret)].flat();
  return { connection, settings: Object.fromEntries(places), service, warnings };
}

/** Says where settings that are missing were looked for. A warning tells of a selected stack that could not be read. */
function withSearchedPlaces(error: AgentLogConfigError, { stack, warning }: StackReading): AgentLogConfigError {
  if (error.code !== "ERR_MISSING_SETTINGS") return error;
  const alone = "There is no Pulumi project in this folder, so check used the environment alone. ";
  const places = stack === undefined ? alone : `check used the environment and the ${stack}. `;
  const advice = "check can't use the arguments of a Provider: to try them, set these environment variables.";
  return error.withAdvice(`${warning === undefined ? places : ""}${advice}`);
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
  const causes = Map.groupBy(failures, ({ error }) => errorFinding(error).causeKey);
  const lines = [
    ...warnings.map((warning) => styleText("yellow", `! ${warning}`)),
    ...configs.map((config) => `${styleText("green", "✓")} ${config.id} logs to ${destinationOf(config)}`),
    ...[...causes.values()].map((cause) => styleText("red", `✗ ${describeCause(cause)}`)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** A message names what could not be read. */
function describeCause([first, ...others]: readonly Failure[]): string {
  const names = others.flatMap(({ read }) => (read === undefined ? [] : [idOf(read)]));
  const message = first?.error.message ?? "";
  return names.length === 0 ? message : `${message} The same applies to ${listOf(names, MAX_NAMES)}.`;
}

/** The most reads that are named for one cause. */
const MAX_NAMES = 50;

/** Without a path an agent logs to standard error, and on Windows to the Event Log. */
function destinationOf({ logPath, logPathWindows }: AgentLogConfigResult): string {
  const paths = [logPath, logPathWindows && `on Windows ${logPathWindows}`].filter((path) => path !== undefined);
  return paths.length > 0 ? printable(paths.join(", ")) : "standard error, on Windows to the Event Log";
}
