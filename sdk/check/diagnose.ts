import { AgentLogConfigClient } from "../client/agent-log-config-client.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";
import {
  CONNECTION_SETTINGS,
  configurationKey,
  lookUpConnection,
  readConnectionSettings,
} from "../shared/connection-settings.ts";
import { type Observations, observeConnections } from "./observe-connections.ts";
import type { StackConfiguration } from "./read-stack-configuration.ts";

const STEPS = ["settings", "name", "connection", "TLS", "challenge", "key", "role", "monitoring", "backup"] as const;
type StepName = (typeof STEPS)[number];

/** One step on the way to both answers. */
export interface Step {
  readonly step: StepName;
  readonly status: "ok" | "failed" | "not reached";
  /** What was found, or what is wrong and what to do about it. */
  readonly message: string;
}

type Notes = Partial<Record<StepName, string>>;

/** Reads the settings of both agents as a program would, once, and says how far that came. */
export async function diagnose(configuration: StackConfiguration, projectId: string): Promise<readonly Step[]> {
  const opened = openClient(configuration);
  if (opened instanceof Error) return stepsUntil("settings", opened, {});
  const { client, host, settings } = opened;
  const seen = observeConnections();
  const notes: Notes = { settings };
  const describeAll = () => ({ ...describeConnection(seen, host), ...notes });
  try {
    notes.monitoring = describeResult(await client.get({ projectId, agent: "monitoring" }));
    notes.backup = describeResult(await client.get({ projectId, agent: "backup" }));
    return stepsUntil(undefined, undefined, describeAll());
  } catch (error) {
    const failed = notes.monitoring === undefined ? failedStep(error, seen) : "backup";
    return stepsUntil(failed, error, describeAll());
  } finally {
    await client.close();
  }
}

interface OpenedClient {
  readonly client: AgentLogConfigClient;
  /** That of the service. */
  readonly host: string | undefined;
  /** Where the settings come from. */
  readonly settings: string;
}

function openClient(configuration: StackConfiguration): OpenedClient | Error {
  if (configuration instanceof Error) return configuration;
  try {
    const texts = lookUpConnection((key) => configuration[key]);
    // Each failure is to be seen, and the first of it.
    const client = new AgentLogConfigClient({ ...readConnectionSettings(texts), maxRetries: 0 });
    const found = CONNECTION_SETTINGS.filter((setting) => texts[setting] !== undefined);
    const { stack, environment } = Object.groupBy(found, (setting) =>
      configuration[configurationKey(setting)] === undefined ? "environment" : "stack",
    );
    const settings = [
      ...(stack ? [`from the stack: ${stack.join(", ")}`] : []),
      ...(environment ? [`from the environment: ${environment.join(", ")}`] : []),
    ].join("; ");
    return { client, host: URL.parse(texts.baseUrl?.text ?? "")?.hostname.replace(/^\[|\]$/g, ""), settings };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function describeConnection({ host, address, tls, challenge }: Observations, serviceHost: string | undefined): Notes {
  return {
    name: host === serviceHost ? `${host}` : `${host}, a proxy`,
    connection: address ?? "open",
    TLS: tls ?? "not used: the settings travel in clear",
    challenge: challenge ?? "the service asks for no authentication",
    key: "accepted",
    role: "sufficient",
  };
}

function describeResult({ logPath }: AgentLogConfigResult): string {
  return logPath === undefined ? "it logs to standard error" : printable(`it logs to ${logPath}`);
}

/** Where the first read stopped. */
function failedStep(error: unknown, { address, challenge }: Observations): StepName {
  if (!(error instanceof AgentLogConfigError)) return "settings";
  const cause = isObject(error.cause) ? error.cause["code"] : undefined;
  if (cause === "ENOTFOUND" || cause === "EAI_AGAIN") return "name";
  if (error.code === "ERR_TLS") return "TLS";
  if (address === undefined) return "connection";
  // Whoever answered without one is not the service.
  if (challenge === undefined) return "challenge";
  return STEP_OF_CODE[error.code] ?? "monitoring";
}

const STEP_OF_CODE: Partial<Record<AgentLogConfigErrorCode, StepName>> = {
  ERR_AUTHENTICATION: "challenge",
  ERR_WRONG_KEY: "key",
  ERR_NOT_A_MEMBER: "role",
  ERR_ROLE_MISSING: "role",
  ERR_ACCESS_LIST: "role",
  ERR_PROJECT_NOT_FOUND: "role",
};

function stepsUntil(failed: StepName | undefined, error: unknown, notes: Notes): readonly Step[] {
  const end = failed === undefined ? STEPS.length : STEPS.indexOf(failed);
  return STEPS.map((step, index) => {
    if (index < end) return { step, status: "ok", message: notes[step] ?? "" };
    if (index > end) return { step, status: "not reached", message: "" };
    return { step, status: "failed", message: error instanceof Error ? error.message : String(error) };
  });
}
