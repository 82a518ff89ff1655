import { SECRET_SIGNATURE, SIGNATURE_KEY } from "../shared/engine-marks.ts";
import { isReading } from "../shared/reading.ts";
import { SETTING_NAMES } from "../shared/recorded-settings.ts";
import * as lifecycle from "./resource-lifecycle.ts";

// What the provider text calls. Names and arguments stay the same, because the state of every stack holds that text.

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
  const { inputs, failures } = await lifecycle.check(engine(configuration), olds, news, secrets);
  return { inputs, failures: failures.map((reason) => ({ property: "", reason })) };
}

// See diff of resource-lifecycle.ts.
export function diff(
  _configuration: ProviderConfiguration,
  _id: string,
  olds: lifecycle.Properties,
  news: lifecycle.Properties,
): { changes?: false; replaces?: string[] } {
  return lifecycle.diff(olds, news);
}

/** Only the record is created: the service is never changed. */
export function create(
  _configuration: ProviderConfiguration,
  news: lifecycle.Properties,
): { id: string; outs: lifecycle.Properties } {
  return { id: lifecycle.idOf(news), outs: lifecycle.outputsOf(news) };
}

/** Only the record is updated: the service is never changed. */
export function update(
  _configuration: ProviderConfiguration,
  _id: string,
  olds: lifecycle.Properties,
  news: lifecycle.Properties,
): { outs: lifecycle.Properties } {
  return { outs: lifecycle.outputsOf(news, olds) };
}

// See find of resource-lifecycle.ts.
export async function read(
  configuration: ProviderConfiguration,
  id: string,
  recorded: lifecycle.Properties,
): Promise<{ id?: string; props: lifecycle.Properties; inputs: lifecycle.Properties }> {
  try {
    // The host does not see inputs, and can't import, so that what is new here is adopted.
    const isAdopted = recorded["projectId"] === undefined || recorded["__adopted"] === true;
    const { outputs, inputs, ...found } = await lifecycle.find(engine(configuration), id, recorded, isAdopted);
    return { ...found, props: seal(isAdopted ? { ...outputs, __adopted: true } : outputs), inputs: seal(inputs) };
  } catch (error) {
    // The host prints an error and its stack before the engine prints its message.
    const message = error instanceof Error ? error.message : String(error);
    throw Object.assign(new Error(message), { stack: "it could not be read", toString: () => `AgentLogConfig ${id}` });
  }
}

function engine(configuration: ProviderConfiguration): lifecycle.Engine {
  return { configuration: (key) => configuration.get(key), warn: (message) => console.warn(message) };
}

/** Marks the one secret in the form in which the host passes it on to the engine. */
function seal(properties: lifecycle.Properties): lifecycle.Properties {
  if (properties["configOverrides"] === undefined) return properties;
  return {
    ...properties,
    configOverrides: { [SIGNATURE_KEY]: SECRET_SIGNATURE, value: properties["configOverrides"] },
  };
}
