import { isDeepStrictEqual } from "node:util";
import type { Agent } from "../client/agent-log-config.ts";
import { agentLogConfigId, parseAgentLogConfigId } from "../client/agent-log-config-id.ts";
import { lookUpConnection } from "../client/connection-settings.ts";
import { AgentLogConfigError } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { NO_SETTINGS, type Problem, type RecordedSettings, recordSettings } from "../client/recorded-settings.ts";
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

/**
 * Records what the program has read. Where it could not be read the resource fails, or keeps what is recorded if it is
 * told to do so in an outage.
 */
export function check(
  _configuration: ProviderConfiguration,
  olds: Properties,
  news: Properties,
): { inputs: Properties; failures: CheckFailure[] } {
  const { __problem: problem, ...inputs } = news;
  if (!isProblem(problem)) return { inputs, failures: [] };
  if (problem.outage && inputs["whenUnavailable"] === "useRecorded" && isSameResource(olds, inputs)) {
    const id = idOf(inputs);
    outages.set(id, problem.reasons.join(" "));
    return { inputs: { ...inputs, ...recordedIn(olds) }, failures: [] };
  }
  return { inputs, failures: problem.reasons.map((reason) => ({ property: "", reason })) };
}

/** Resources that keep what is recorded, until diff, which knows how old that is, has said so. */
const outages = new Map<string, string>();

/**
 * Leaves the comparison to the engine, which then shows it property by property. What it can't know is that another
 * project or agent is another resource, and that a new provider text by itself is no change.
 */
export function diff(
  _configuration: ProviderConfiguration,
  id: string,
  olds: Properties,
  news: Properties,
): { changes?: false; replaces?: string[] } {
  const outage = outages.get(id);
  outages.delete(id);
  if (outage !== undefined) warnOfOutage(id, outage, olds);
  if (isDeepStrictEqual(comparable(olds), comparable(news))) return { changes: false };
  const replaces = ["projectId", "agent"].filter((key) => news[key] !== UNKNOWN && news[key] !== olds[key]);
  return { replaces };
}

export function create(_configuration: ProviderConfiguration, news: Properties): { id: string; outs: Properties } {
  return { id: idOf(news), outs: readNow(news) };
}

export function update(
  _configuration: ProviderConfiguration,
  _id: string,
  _olds: Properties,
  news: Properties,
): { outs: Properties } {
  return { outs: readNow(news) };
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
  const { __lastReadAt: lastReadAt, ...before } = recorded;
  const adopting = recorded["projectId"] === undefined;
  try {
    const { projectId, agent } = parseAgentLogConfigId(id);
    const settings = await readSettings(configuration, projectId, agent);
    const inputs = { ...before, projectId, agent, ...settings, configOverrides: secret(settings.configOverrides) };
    return { id: agentLogConfigId(projectId, agent), props: readNow(inputs), inputs };
  } catch (error) {
    if (error instanceof AgentLogConfigError && !adopting) {
      if (error.code === "ERR_PROJECT_NOT_FOUND") return gone(id, error);
      if (error.temporary && recorded["whenUnavailable"] === "useRecorded") {
        warnOfOutage(id, error.message, recorded);
        const kept = { ...before, configOverrides: secret(recorded["configOverrides"]) };
        return { id, props: { ...kept, __lastReadAt: lastReadAt ?? null }, inputs: kept };
      }
    }
    throw printedOnce(error, id, adopting);
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

function gone(id: string, { message }: AgentLogConfigError): { props: Properties; inputs: Properties } {
  console.warn(`AgentLogConfig ${id} leaves the state. ${message}`);
  return { props: {}, inputs: {} };
}

function warnOfOutage(id: string, outage: string, { __lastReadAt: lastReadAt }: Properties): void {
  const age =
    typeof lastReadAt === "string" && !Number.isNaN(Date.parse(lastReadAt))
      ? `the settings recorded ${ageOf(lastReadAt)} (${lastReadAt})`
      : "the recorded settings";
  console.warn(`AgentLogConfig ${id} uses ${age}. ${outage}`);
}

function ageOf(time: string): string {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 60_000));
  if (minutes < 1) return "less than a minute ago";
  if (minutes < 120) return `${minutes} min ago`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`;
}

/** When the settings were read is kept among the outputs alone, under a name that the engine does not show. */
function readNow(properties: Properties): Properties {
  return { ...properties, __lastReadAt: new Date().toISOString() };
}

function idOf({ projectId, agent }: Properties): string {
  return `${projectId}/${agent}`;
}

function isSameResource(olds: Properties, news: Properties): boolean {
  return olds["projectId"] === news["projectId"] && olds["agent"] === news["agent"];
}

/** Not so where the program has none, or does not know yet. */
function isProblem(value: unknown): value is Problem {
  return isObject(value) && "reasons" in value;
}

function recordedIn(properties: Properties): Properties {
  return Object.fromEntries(Object.keys(NO_SETTINGS).map((key) => [key, properties[key] ?? null]));
}

/** What a person may change: the internal properties and what is absent left out. */
function comparable(properties: Properties): Properties {
  const compared = Object.entries(properties).filter(([key, value]) => !key.startsWith("__") && value !== null);
  return Object.fromEntries(compared);
}

/** How the engine writes what it does not know yet. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** How a secret goes over the engine's wire; the host passes on what looks like this. */
function secret(value: unknown): Properties {
  return { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: value ?? null };
}

/**
 * The host prints what is thrown and its stack, and the engine prints its message: the host need not say it again.
 * A refresh has the connection of the last `up`, hence the advice.
 */
function printedOnce(error: unknown, id: string, adopting: boolean): Error {
  const thrown = error instanceof Error ? error : new Error(String(error));
  if (!adopting && error instanceof AgentLogConfigError && error.code === "ERR_WRONG_KEY") {
    const advice =
      "A refresh takes the key from the state: after a change of keys run `pulumi up`, or `pulumi refresh --run-program`.";
    thrown.message = thrown.message.replace(/See https:\S+$/, `${advice} $&`);
  }
  thrown.stack = "it could not be read";
  return Object.assign(thrown, { toString: () => `AgentLogConfig ${id}` });
}
