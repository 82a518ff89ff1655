import { createRequire } from "node:module";
import { idOf } from "../client/agent-log-config-id.ts";
import { SECRET_SETTINGS } from "../client/agent-log-settings.ts";
import { printable } from "../client/printable.ts";
import { lookUpConnection, stackConfiguration } from "../shared/connection-settings.ts";
import { seal } from "../shared/engine-marks.ts";
import { describeOutage, type Failure, type Outage } from "../shared/failure-report.ts";
import { isReading, problemOf, type Reading } from "../shared/reading.ts";
import { SettingsReader } from "../shared/settings-reader.ts";
import { EngineLog, type EngineModules } from "./engine-log.ts";
import * as lifecycle from "./resource-lifecycle.ts";

// What the provider text calls. Names and arguments stay the same, and all return promises, because the state of every stack
// holds that text. What they do is decided in resource-lifecycle.ts; here is what the host of dynamic providers is like.

/** The configuration that the engine gives to the provider host: the stack's, or that of an explicit Provider. */
export interface ProviderConfiguration {
  get(key: string): string | undefined;
}

export async function check(
  configuration: ProviderConfiguration,
  olds: lifecycle.Properties,
  news: lifecycle.Properties,
): Promise<{ inputs: lifecycle.Properties; failures: { property: ""; reason: string }[] }> {
  const reading = isReading(news["__reading"]) ? news["__reading"] : undefined;
  // The host does not see which inputs are secret, so that without a reading all of them may be.
  const secrets = reading?.secrets ?? Object.keys(news);
  const { inputs, failures, warnings, outage } = await lifecycle.completeInputs(
    hostOf(configuration),
    olds,
    news,
    secrets,
  );
  if (failures.length > 0) return fail(inputs, failures, reading);
  await warn(...warnings.map(({ message }) => message));
  if (outage !== undefined) outages.set(idOf(inputs), outage);
  return { inputs, failures: [] };
}

/**
 * Lets a resource fail: here in a preview, which ends at it. With `--continue-on-error` an update goes on after a resource that
 * fails when it is created or updated, and not after one that fails here.
 */
function fail(inputs: lifecycle.Properties, failures: readonly Failure[], reading: Reading | undefined) {
  if (reading?.isPreview === false) {
    return { inputs: { ...inputs, [FAILURES]: failures.map(({ message }) => message) }, failures: [] };
  }
  const report = reading?.report ?? [];
  const own = failures.filter(({ cause }) => report.every((reported) => reported.cause !== cause));
  // The engine would print the value of a property beside the reason.
  return { inputs, failures: [...own, ...report].map(({ message }) => ({ property: "" as const, reason: message })) };
}

/** The input by which a resource is going to fail in an update. */
const FAILURES = "__failures";

function failIfRefused(news: lifecycle.Properties): void {
  const messages = news[FAILURES];
  if (Array.isArray(messages)) throw new Error(messages.join("\n"));
}

export async function diff(
  _configuration: ProviderConfiguration,
  id: string,
  olds: lifecycle.Properties,
  news: lifecycle.Properties,
): Promise<{ changes?: boolean; replaces?: string[] }> {
  // The host does not see the time of the read before.
  const outage = outages.get(id);
  outages.delete(id);
  if (outage !== undefined) await warnOfOutage(id, { ...outage, unchangedSince: olds["unchangedSince"] });
  const found = lifecycle.diff(olds, news);
  // A record that the plugin has made has no provider in it, without which the host can't refresh it.
  const isIncomplete = found.changes === false && !("__provider" in olds);
  return FAILURES in news || isIncomplete ? { changes: true } : found;
}

/** Only the record is created: the service is never changed. */
export async function create(
  _configuration: ProviderConfiguration,
  news: lifecycle.Properties,
): Promise<{ id: string; outs: lifecycle.Properties }> {
  failIfRefused(news);
  return { id: idOf(news), outs: lifecycle.outputsOf(news) };
}

/** Only the record is updated: the service is never changed. */
export async function update(
  _configuration: ProviderConfiguration,
  _id: string,
  olds: lifecycle.Properties,
  news: lifecycle.Properties,
): Promise<{ outs: lifecycle.Properties }> {
  failIfRefused(news);
  return { outs: lifecycle.outputsOf(news, olds) };
}

export async function read(
  configuration: ProviderConfiguration,
  id: string,
  recorded: lifecycle.Properties,
): Promise<{ id?: string; props: lifecycle.Properties; inputs?: lifecycle.Properties }> {
  try {
    // The host does not see inputs, and can't import, so that what is new here is adopted.
    const isMade = recorded["projectId"] !== undefined && recorded["__adopted"] !== true;
    const { outputs, inputs, warning, ...found } = await lifecycle.refresh(
      hostOf(configuration),
      id,
      recorded,
      !isMade,
    );
    if (warning !== undefined && "unchangedSince" in warning) await warnOfOutage(id, warning);
    else if (warning !== undefined) await warn(warning.message);
    const props = isMade ? outputs : { ...outputs, __adopted: true };
    return { ...found, props: sealSecrets(props), ...(inputs && { inputs: sealSecrets(inputs) }) };
  } catch (error) {
    const { message, cause } = problemOf(error);
    const first = reported.get(cause);
    reported.set(cause, first ?? id);
    const reason = first === undefined ? message : `The reason is the same as for ${printable(first, 80)}.`;
    // The host prints an error and its stack before the engine prints its message.
    const subject = `AgentLogConfig ${printable(id, 80)}`;
    throw Object.assign(new Error(reason), { stack: "it could not be read", toString: () => subject });
  }
}

// The engine starts a process for each run, and for each provider in it. It does not announce the end of the run.

const reader = new SettingsReader();
/** The causes that were reported, and the id of the first record of each. */
const reported = new Map<string, string>();
/** The outages to warn of with the age of the record. */
const outages = new Map<string, Failure>();

async function warnOfOutage(id: string, outage: Outage): Promise<void> {
  const reason = reported.has(outage.cause) ? "" : outage.message;
  reported.set(outage.cause, id);
  await warn(describeOutage([id], [outage], reason));
}

/** The engine gives its address to the host of dynamic providers as the first argument. */
const log = new EngineLog(loadEngineModules, /^\S+:\d+$/.exec(process.argv[2] ?? "")?.[0]);

async function warn(...messages: readonly string[]): Promise<void> {
  for (const message of messages) log.show("WARNING", "", message);
  await log.flush();
}

/** @throws Error without them */
function loadEngineModules(): EngineModules {
  // gRPC may be installed for the SDK alone.
  const load = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
  return {
    grpc: load("@grpc/grpc-js"),
    service: load("@pulumi/pulumi/proto/engine_grpc_pb.js"),
    messages: load("@pulumi/pulumi/proto/engine_pb.js"),
  };
}

function hostOf(configuration: ProviderConfiguration): lifecycle.Host {
  const sources = [stackConfiguration((key) => configuration.get(key))];
  const connection = lookUpConnection(...sources);
  return { sources, read: (args) => reader.read(connection, args), refreshAdvice: REFRESH_ADVICE };
}

const REFRESH_ADVICE =
  "This read used the connection in the state, which each `pulumi up` records; after a change of the connection run `pulumi up`.";

/** Marks the secrets in the form in which the host passes them on to the engine. */
function sealSecrets(properties: lifecycle.Properties): lifecycle.Properties {
  const secrets = SECRET_SETTINGS.filter((name) => properties[name] !== undefined);
  return { ...properties, ...Object.fromEntries(secrets.map((name) => [name, seal(properties[name])])) };
}
