import { idOf } from "../client/agent-log-config-id.ts";
import { SECRET_SETTINGS, SETTING_NAMES } from "../client/agent-log-settings.ts";
import { printable } from "../digest/printable.ts";
import { stackConfiguration } from "../shared/connection-settings.ts";
import { describeOutage, type ToldOutages } from "../shared/describe-failures.ts";
import { seal } from "../shared/engine-marks.ts";
import { isReading } from "../shared/reading.ts";
import * as lifecycle from "./resource-lifecycle.ts";

// What the provider text calls. Names and arguments stay the same, and all return promises, because the state of every stack
// holds that text.

/** The configuration that the engine gives to the provider host: the stack's, or that of an explicit Provider. */
export interface ProviderConfiguration {
  get(key: string): string | undefined;
}

interface CheckFailure {
  /** Always empty, because the engine would print the property's value beside the reason. */
  readonly property: "";
  readonly reason: string;
}

// See check of resource-lifecycle.ts.
export async function check(
  configuration: ProviderConfiguration,
  olds: lifecycle.Properties,
  news: lifecycle.Properties,
): Promise<{ inputs: lifecycle.Properties; failures: CheckFailure[] }> {
  const reading = news["__reading"];
  // The host does not see which inputs are secret, so that without a reading all of them may be.
  const secrets = isReading(reading) ? reading.secrets : SETTING_NAMES;
  const host = engine(configuration);
  const { inputs, malformed, failures, outage } = await lifecycle.check(host, olds, news, secrets);
  // The host does not see the time of the read here.
  if (outage !== undefined) {
    const { message: reason, cause } = outage;
    host.warn(describeOutage(idOf(inputs), { unchangedSince: undefined, reason, cause }, toldOutages));
  }
  return {
    inputs,
    failures: [...malformed, ...failures.map(({ sentence }) => sentence)].map((reason) => ({ property: "", reason })),
  };
}

// See diff of resource-lifecycle.ts.
export async function diff(
  _configuration: ProviderConfiguration,
  _id: string,
  olds: lifecycle.Properties,
  news: lifecycle.Properties,
): Promise<{ changes?: false; replaces?: string[] }> {
  return lifecycle.diff(olds, news);
}

/** Only the record is created: the service is never changed. */
export async function create(
  _configuration: ProviderConfiguration,
  news: lifecycle.Properties,
): Promise<{ id: string; outs: lifecycle.Properties }> {
  return { id: idOf(news), outs: lifecycle.outputsOf(news) };
}

/** Only the record is updated: the service is never changed. */
export async function update(
  _configuration: ProviderConfiguration,
  _id: string,
  olds: lifecycle.Properties,
  news: lifecycle.Properties,
): Promise<{ outs: lifecycle.Properties }> {
  return { outs: lifecycle.outputsOf(news, olds) };
}

// See readRecord of resource-lifecycle.ts.
export async function read(
  configuration: ProviderConfiguration,
  id: string,
  recorded: lifecycle.Properties,
): Promise<{ id?: string; props: lifecycle.Properties; inputs?: lifecycle.Properties }> {
  try {
    // The host does not see inputs, and can't import, so that what is new here is adopted.
    const isNew = recorded["projectId"] === undefined;
    const kind = isNew ? "new" : recorded["__adopted"] === true ? "adopted" : "made";
    const { outputs, inputs, ...found } = await lifecycle.readRecord(engine(configuration), id, recorded, kind);
    const props = kind === "made" ? outputs : { ...outputs, __adopted: true };
    return { ...found, props: withMarks(props), ...(inputs && { inputs: withMarks(inputs) }) };
  } catch (error) {
    // The host prints an error and its stack before the engine prints its message.
    const message = error instanceof Error ? error.message : String(error);
    const subject = `AgentLogConfig ${printable(id, 80)}`;
    throw Object.assign(new Error(message), { stack: "it could not be read", toString: () => subject });
  }
}

/** The engine starts a process for each run, and for each provider in it. */
const toldOutages: ToldOutages = new Map();

function engine(configuration: ProviderConfiguration): lifecycle.Engine {
  return {
    sources: [stackConfiguration((key) => configuration.get(key))],
    warn: (message) => console.warn(message),
    toldOutages,
  };
}

/** Marks the secrets in the form in which the host passes them on to the engine. */
function withMarks(properties: lifecycle.Properties): lifecycle.Properties {
  const secrets = SECRET_SETTINGS.filter((name) => properties[name] !== undefined);
  return { ...properties, ...Object.fromEntries(secrets.map((name) => [name, seal(properties[name])])) };
}
