import { isDeepStrictEqual } from "node:util";
import type { Agent } from "../client/agent-log-config.ts";
import { agentLogConfigId, parseAgentLogConfigId } from "../client/agent-log-config-id.ts";
import { lookUpConnection } from "../client/connection-settings.ts";
import { AgentLogConfigError } from "../client/errors.ts";
import { type RecordedSettings, recordSettings } from "../client/recorded-settings.ts";
import { sharedClient } from "../client/shared-client.ts";

/** The configuration that the engine gives the provider: the stack's, or that of an explicit Provider. */
export interface ProviderConfiguration {
  get(key: string): string | undefined;
}

type Properties = Readonly<Record<string, unknown>>;

interface CheckFailure {
  /** Always empty: the engine would print the property's value beside the reason. */
  readonly property: "";
  readonly reason: string;
}

/** Fails the resource where the program could not read its settings; otherwise what was read is recorded as it is. */
export function check(
  _configuration: ProviderConfiguration,
  _olds: Properties,
  news: Properties,
): { inputs: Properties; failures: CheckFailure[] } {
  const { __problem: problem, ...inputs } = news;
  const failed = typeof problem === "string" && problem !== UNKNOWN;
  return { inputs, failures: failed ? [{ property: "", reason: problem }] : [] };
}

/**
 * Leaves the comparison to the engine, which then shows it property by property. What it can't know is that another
 * project or agent is another resource, and that a new provider text by itself is no change.
 */
export function diff(
  _configuration: ProviderConfiguration,
  _id: string,
  olds: Properties,
  news: Properties,
): { changes?: false; replaces?: string[] } {
  if (isDeepStrictEqual(visible(olds), visible(news))) return { changes: false };
  const replaces = ["projectId", "agent"].filter((key) => news[key] !== UNKNOWN && news[key] !== olds[key]);
  return { replaces };
}

export function create(_configuration: ProviderConfiguration, news: Properties): { id: string; outs: Properties } {
  return { id: `${news["projectId"]}/${news["agent"]}`, outs: news };
}

export function update(
  _configuration: ProviderConfiguration,
  _id: string,
  _olds: Properties,
  news: Properties,
): { outs: Properties } {
  return { outs: news };
}

/**
 * Reads the settings for a refresh or for `AgentLogConfig.get`. Without an id in the answer the engine takes the resource
 * for deleted: only where the service itself says that there is no such project.
 */
export async function read(
  configuration: ProviderConfiguration,
  id: string,
  recorded: Properties,
): Promise<{ id?: string; props: Properties; inputs: Properties }> {
  try {
    const { projectId, agent } = parseAgentLogConfigId(id);
    const settings = await readSettings(configuration, projectId, agent);
    const inputs = { ...recorded, projectId, agent, ...settings, configOverrides: secret(settings.configOverrides) };
    return { id: agentLogConfigId(projectId, agent), props: inputs, inputs };
  } catch (error) {
    const adopting = recorded["projectId"] === undefined;
    const gone = error instanceof AgentLogConfigError && error.code === "ERR_PROJECT_NOT_FOUND";
    if (gone && !adopting) return { props: {}, inputs: {} };
    throw withoutStack(error);
  }
}

async function readSettings(
  configuration: ProviderConfiguration,
  projectId: string,
  agent: Agent,
): Promise<RecordedSettings> {
  const client = await sharedClient(lookUpConnection((key) => configuration.get(key)));
  return recordSettings(await client.get({ projectId, agent }));
}

/** How the engine writes what it does not know yet. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** How a secret goes over the engine's wire; the host passes on what looks like this. */
function secret(value: unknown): Properties {
  return { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value };
}

/** What a person sees of the properties: the internal ones and what is absent left out. */
function visible(properties: Properties): Properties {
  const shown = Object.entries(properties).filter(([key, value]) => !key.startsWith("__") && value !== null);
  return Object.fromEntries(shown);
}

/** The host prints the stack of what is thrown. */
function withoutStack(error: unknown): Error {
  const thrown = error instanceof Error ? error : new Error(String(error));
  thrown.stack = "";
  return thrown;
}
