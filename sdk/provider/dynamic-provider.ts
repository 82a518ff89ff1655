import { createRequire } from "node:module";
import { EngineLog, type EngineModules } from "../engine/engine-log.ts";
import { CONFIGS } from "../engine/frozen-texts.ts";
import { printable } from "../model/printable.ts";
import { lookUpConnection, stackConfiguration } from "../reading/connection-settings.ts";
import { SettingsReader } from "../reading/settings-reader.ts";
import { describeNext, type Finding, FindingReport, failureText, namesIn } from "../record/finding-report.ts";
import { resourceIdOf } from "../record/fleet-record.ts";
import type { RecordHost } from "../record/read-outcome.ts";
import { isFleet } from "../record/resource-arguments.ts";
import { checkInputs, differenceOf, outputsToRecord, refreshRecord } from "../record/resource-lifecycle.ts";
import {
  asProperties,
  asRecord,
  internalIn,
  internalProperties,
  type Properties,
  sealSecrets,
} from "../record/resource-record.ts";

// The provider text calls these functions. Their names and arguments never change, and all of them return promises, because the
// state of every stack has this text. resource-lifecycle.ts decides what they do. This file fits it to the host of dynamic
// providers.

/** The configuration that the engine gives to the provider host: the stack's, or that of an explicit Provider. */
export interface ProviderConfiguration {
  get(key: string): string | undefined;
}

export async function check(
  configuration: ProviderConfiguration,
  olds: Properties,
  news: Properties,
): Promise<{ inputs: Properties; failures: { property: ""; reason: string }[] }> {
  const [oldRecord, newRecord, { failsIn }] = [asRecord(olds), asRecord(news), internalIn(news)];
  // The host sees neither the name of the resource nor which inputs are secret, so without an origin any of them may be.
  const { name, secrets } =
    typeof newRecord.origin === "object"
      ? newRecord.origin
      : { name: resourceIdOf(newRecord), secrets: [...Object.keys(news), CONFIGS] };
  // In a preview the program reports the failures.
  const host = { ...hostOf(configuration), isPreview: failsIn === "program" };
  const { inputs, failures, warnings } = await checkInputs(host, oldRecord, newRecord, secrets);
  for (const warning of warnings) await warnOfRecord(name, warning);
  if (failures.length > 0 && failsIn === undefined) {
    // The engine would print the value of a property beside the reason.
    return { inputs: asProperties(inputs), failures: [{ property: "", reason: failureText(failures) }] };
  }
  return { inputs: sealSecrets(asProperties(inputs), secrets), failures: [] };
}

export async function diff(
  _configuration: ProviderConfiguration,
  id: string,
  olds: Properties,
  news: Properties,
): Promise<{ changes?: boolean; replaces?: readonly string[] }> {
  // The host sees outputs alone.
  const oldRecord = asRecord(olds);
  return differenceOf(id, oldRecord, oldRecord, asRecord(news));
}

export async function create(
  _configuration: ProviderConfiguration,
  news: Properties,
): Promise<{ id: string; outs: Properties }> {
  return { outs: propertiesToRecord(news), id: resourceIdOf(asRecord(news)) };
}

export async function update(
  _configuration: ProviderConfiguration,
  _id: string,
  _olds: Properties,
  news: Properties,
): Promise<{ outs: Properties }> {
  return { outs: propertiesToRecord(news) };
}

function propertiesToRecord(news: Properties): Properties {
  const { outputs, failures } = outputsToRecord(asRecord(news));
  if (failures.length > 0) throw new Error(failureText(failures));
  return asProperties(outputs);
}

export async function read(
  configuration: ProviderConfiguration,
  id: string,
  olds: Properties,
): Promise<{ id?: string; props: Properties; inputs?: Properties }> {
  // The host does not see inputs, and can't import, so `get` adopts a resource that has no record here.
  const record = asRecord(olds);
  const isNew = record.args.projectId === undefined && !isFleet(record.args);
  const isAdopted = isNew || internalIn(olds).isAdopted === true;
  const refreshed = await refreshRecord(hostOf(configuration), id, record);
  if (refreshed.failures.length > 0) throw refreshError(id, refreshed.failures);
  for (const warning of refreshed.warnings) await warnOfRecord(id, warning);
  // The host passes a seal on to the engine.
  const props = sealSecrets({ ...asProperties(refreshed.outputs), ...internalProperties({ isAdopted }) }, []);
  const inputs = refreshed.inputs && (isAdopted ? {} : sealSecrets(asProperties(refreshed.inputs), []));
  return { ...(refreshed.id !== undefined && { id: refreshed.id }), props, ...(inputs && { inputs }) };
}

/** The host prints an error and its stack before the engine prints its message. */
function refreshError(id: string, reasons: readonly Finding[]): Error {
  const subject = `AgentLogConfig ${printable(id, 80)}`;
  const [first = id] = reasons.map((reason) => failures.note(id, reason));
  const sameReason = `${subject} can't be read. The reason is the same as for ${printable(first, 80)}.`;
  // A fleet may have several reasons, and names the members.
  const isSame = first !== id && reasons.every(({ members }) => members === undefined);
  return Object.assign(new Error(isSame ? sameReason : failureText(reasons)), {
    stack: "it could not be read",
    toString: () => subject,
  });
}

// The engine starts a process for each run, and for each provider in it. It does not announce the end of the run, and asks for a few
// records at a time, so nothing is known of their number.

const reader = new SettingsReader((text) => log.showProgress(text), { isTotalKnown: false });
/** Why reads of a refresh have failed. */
const failures = new FindingReport();
/** The resources that have warned of a cause, by their names or else by their ids. */
const resourcesByCause = new Map<string, Set<string>>();

/** Warns of a record, by the name of its resource if it is known, or else by its id. */
async function warnOfRecord(resource: string, warning: Finding): Promise<void> {
  const resources = resourcesByCause.get(warning.causeKey) ?? new Set();
  const names = namesIn(resource, warning).join();
  // The engine checks a replacement twice.
  if (resources.has(names)) return;
  resourcesByCause.set(warning.causeKey, resources.add(names));
  const message = describeNext(resource, warning, resources.size);
  if (message !== undefined) log.show("WARNING", "", message);
  await log.flush();
}

/** The engine gives its address to the host of dynamic providers as the first argument. */
const log = new EngineLog(loadEngineModules, /^\S+:\d+$/.exec(process.argv[2] ?? "")?.[0]);

function loadEngineModules(): EngineModules {
  // gRPC may be installed for the SDK alone.
  const load = createRequire(createRequire(import.meta.filename).resolve("@pulumi/pulumi/package.json"));
  return {
    grpc: load("@grpc/grpc-js"),
    service: load("@pulumi/pulumi/proto/engine_grpc_pb.js"),
    messages: load("@pulumi/pulumi/proto/engine_pb.js"),
  };
}

function hostOf(configuration: ProviderConfiguration): RecordHost {
  const connection = lookUpConnection(stackConfiguration((key) => configuration.get(key)));
  return {
    connection,
    usesOldConnection: true,
    read: (args) => reader.read(connection, args),
    readMember: (args) => reader.readMember(connection, args),
  };
}
