import { createRequire } from "node:module";
import { EngineLog, type EngineModules } from "../engine/engine-log.ts";
import type { Finding } from "../findings/finding.ts";
import { describeNext, FindingReport, failureText, namesIn } from "../findings/finding-report.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { lookUpConnection, stackConfiguration } from "../reading/connection-settings.ts";
import { SettingsReader } from "../reading/settings-reader.ts";
import { checkInputs } from "../record/check-inputs.ts";
import type { RecordContext } from "../record/find-outcome.ts";
import { resourceIdOf } from "../record/fleet-record.ts";
import { differenceOf, outputsToRecord } from "../record/record-changes.ts";
import { isRecorded } from "../record/recorded-settings.ts";
import { refreshRecord } from "../record/refresh-record.ts";
import {
  asProperties,
  internalIn,
  internalProperties,
  type Properties,
  parseProperties,
  type ResourceProperties,
  sealSecrets,
} from "../record/resource-properties.ts";
import { printable } from "../text/printable.ts";

// The provider text calls these functions. Their names and arguments never change, and all of them return promises, because the
// state of every stack has this text. sdk/record/ decides what they do, and this file fits it to the provider host.

/** The configuration that the engine gives to the provider host: the stack's, or that of an explicit Provider. */
export interface ProviderConfiguration {
  get(key: string): string | undefined;
}

export async function check(
  configuration: ProviderConfiguration,
  olds: Properties,
  news: Properties,
): Promise<{ inputs: Properties; failures: { property: ""; reason: string }[] }> {
  const record = parseProperties(olds);
  const resource = parseProperties(news);
  const { failsIn } = internalIn(news);
  // The host sees neither the name of the resource nor which inputs are secret, so without an origin any of them may be.
  const { name, secrets } =
    typeof resource.origin === "object"
      ? resource.origin
      : { name: resourceIdOf(resource), secrets: Object.keys(news) };
  // In a preview the program reports the failures.
  const context = { ...contextOf(configuration), isPreview: failsIn === "program" };
  const { inputs, failures, warnings } = await checkInputs(context, record, resource, secrets);
  for (const warning of warnings) await warnOfRecord(name, resourceIdOf(resource), warning);
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
  const record = parseProperties(olds);
  return differenceOf(id, record, record, parseProperties(news));
}

export async function create(
  _configuration: ProviderConfiguration,
  news: Properties,
): Promise<{ id: string; outs: Properties }> {
  const record = recordOf(news);
  return { outs: asProperties(record), id: resourceIdOf(record) };
}

export async function update(
  _configuration: ProviderConfiguration,
  _id: string,
  _olds: Properties,
  news: Properties,
): Promise<{ outs: Properties }> {
  return { outs: asProperties(recordOf(news)) };
}

function recordOf(news: Properties): ResourceProperties {
  const { outputs, failures } = outputsToRecord(parseProperties(news));
  if (failures.length > 0) throw new Error(failureText(failures));
  return outputs;
}

export async function read(
  configuration: ProviderConfiguration,
  id: string,
  olds: Properties,
): Promise<{ id?: string; props: Properties; inputs?: Properties }> {
  // The host does not see inputs, and can't import, so a resource without a record here comes from `get`.
  const record = parseProperties(olds);
  const isExternal = !isRecorded(record) || internalIn(olds).isExternal === true;
  const refreshed = await refreshRecord(contextOf(configuration), id, record);
  if (refreshed.failures.length > 0) throw refreshError(id, refreshed.failures);
  for (const warning of refreshed.warnings) await warnOfRecord(id, id, warning);
  // The host passes a seal on to the engine.
  const props = sealSecrets({ ...asProperties(refreshed.outputs), ...internalProperties({ isExternal }) }, []);
  const inputs = refreshed.inputs && (isExternal ? {} : sealSecrets(asProperties(refreshed.inputs), []));
  return { ...(refreshed.id !== undefined && { id: refreshed.id }), props, ...(inputs && { inputs }) };
}

/** The host prints an error and its stack before the engine prints its message. */
function refreshError(id: string, failures: readonly Finding[]): Error {
  const subject = `AgentLogConfig ${printable(id, 80)}`;
  const [first = id] = failures.map((failure) => failureReport.note(id, failure));
  // Only a fleet names what it fails for.
  const isSame = first !== id && failures.every(({ members }) => members === undefined);
  const sameReason = `${subject} can't be read. The reason is the same as for ${printable(first, 80)}.`;
  const stack = failures.map(({ evidence }) => evidence).join(", ") || "it could not be read";
  return Object.assign(new Error(isSame ? sameReason : failureText(failures)), { stack, toString: () => subject });
}

// The engine starts a process for each run, and for each provider in it. It does not announce the end of the run, and asks for a few
// records at a time, so nothing is known of their number.

const reader = new SettingsReader((text) => log.showProgress(text), { isTotalKnown: false });
/** Why reads of a refresh have failed. */
const failureReport = new FindingReport(String);
/** What records have warned of. */
const warningReport = new FindingReport(String);

/**
 * Warns of a record.
 * @param name that of the resource if it is known, or else its id; two resources of different types may have one name
 */
async function warnOfRecord(name: string, id: string, warning: Finding): Promise<void> {
  const countBefore = warningReport.countOf(warning);
  // All fleets have one id. What is said of a fleet names a project.
  const subject = warning.members === undefined ? id : warning.message;
  warningReport.note([subject, ...namesIn(name, warning)].join(), warning);
  const count = warningReport.countOf(warning);
  // The engine checks a replacement twice.
  if (count === countBefore) return;
  const message = describeNext(name, warning, count);
  if (message !== undefined) log.show("WARNING", "", message);
  await log.flush();
}

/** The engine gives its address to the provider host as the first argument. */
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

function contextOf(configuration: ProviderConfiguration): RecordContext {
  const connection = lookUpConnection(stackConfiguration((key) => configuration.get(key)));
  return {
    connection,
    usesOldConnection: true,
    read: (args) => reader.read(connection, args).catch(adviseOnEnvironment),
    readMember: (args) => reader.readMember(connection, args).catch(adviseOnEnvironment),
  };
}

function adviseOnEnvironment(error: unknown): never {
  const isMissing = error instanceof AgentLogConfigError && error.code === "ERR_MISSING_SETTINGS";
  throw isMissing ? error.withAdvice("What a program sets in its own process.env does not reach its provider.") : error;
}
