import { isDeepStrictEqual } from "node:util";
import providerMessages, {
  type CheckRequest,
  type CheckResponse,
  type CreateRequest,
  type CreateResponse,
  type DiffRequest,
  type DiffResponse,
  type ReadRequest,
  type ReadResponse,
  type UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { idOf } from "../client/agent-log-config-id.ts";
import { SECRET_SETTINGS, SETTING_NAMES } from "../client/agent-log-settings.ts";
import { printable } from "../digest/printable.ts";
import type { Properties } from "../provider/resource-lifecycle.ts";
import * as lifecycle from "../provider/resource-lifecycle.ts";
import { describeOutage, type Failure } from "../shared/describe-failures.ts";
import { UNKNOWN } from "../shared/engine-marks.ts";
import { problemOf } from "../shared/reading.ts";
import { PLUGIN_TYPE } from "../shared/resource-type.ts";
import { markedNames, secretExpectations, withMarks, withoutMarks } from "./property-marks.ts";
import type { Run } from "./run.ts";
import { propertiesOf, structOf } from "./structs.ts";

// For each record the engine calls Check, then Diff if there is one already, then Create or Update if it differs; in a refresh
// Read and then Diff alone. Check reads the settings. It can't fail for what it has found, since the engine would end its work
// there, so that it leaves that to those that follow it: Diff asks for an update, tells of an outage with the age of the record,
// and Create or Update fails.

export async function checkRecord(request: CheckRequest, run: Run): Promise<CheckResponse> {
  const [urn, response] = [request.getUrn(), new providerMessages.CheckResponse()];
  const refusal = refusalOf(urn);
  if (refusal !== undefined) return response.setFailuresList([checkFailure(refusal)]);
  // No program reads for the plugin, so that a reading is a forged one.
  const { __reading: _, ...sent } = propertiesOf(request.getNews());
  const olds = withoutMarks(propertiesOf(request.getOlds()));
  const secrets = [...SECRET_SETTINGS, ...markedNames(sent), ...secretExpectations(sent["expect"])];
  const checked = await lifecycle.check(run.engineOf(urn), olds, withoutMarks(sent), secrets);
  run.checks.set(urn, checked);
  if (checked.failures.length > 0) run.failures.show(urn, joinFailures(checked.failures));
  response.setInputs(structOf(withMarks(checked.inputs, sent)));
  return response.setFailuresList(checked.malformed.map(checkFailure));
}

export function diffRecord(request: DiffRequest, run: Run): DiffResponse {
  const [urn, response] = [request.getUrn(), new providerMessages.DiffResponse()];
  const olds = propertiesOf(request.getOldInputs() ?? request.getOlds());
  const { __unchangedSince: unchangedSince, ...recorded } = propertiesOf(request.getOlds());
  // The engine may ask for a difference twice.
  const { outage, ...checked } = run.checks.get(urn) ?? NOT_CHECKED;
  run.checks.set(urn, checked);
  if (outage !== undefined) {
    const { message: reason, cause } = outage;
    run.warn(urn, describeOutage(request.getId(), { unchangedSince, reason, cause }, run.toldOutages));
  }
  const news = propertiesOf(request.getNews());
  const { changes, replaces = [] } = lifecycle.diff(withoutMarks(olds), withoutMarks(news));
  response.setReplacesList(replaces);
  if (changes !== false) {
    return news["__service"] === olds["__service"]
      ? response.setChanges(CHANGES.DIFF_UNKNOWN)
      : nameChanges(response, olds, news);
  }
  // A program in TypeScript has recorded the time under the internal name alone.
  const isToUpdate = checked.failures.length > 0 || !("unchangedSince" in recorded);
  return response.setChanges(isToUpdate ? CHANGES.DIFF_SOME : CHANGES.DIFF_NONE);
}

export async function createRecord(request: CreateRequest, run: Run): Promise<CreateResponse> {
  const inputs = await settledInputs(request, request.getProperties(), run);
  const response = new providerMessages.CreateResponse().setProperties(outputsOf(inputs, {}, request.getPreview()));
  // As with every resource, an id is unknown until there is a record.
  return response.setId(request.getPreview() ? "" : idOf(withoutMarks(inputs)));
}

export async function updateRecord(request: UpdateRequest, run: Run): Promise<UpdateResponse> {
  const news = await settledInputs(request, request.getNews(), run);
  const outputs = outputsOf(news, propertiesOf(request.getOlds()), request.getPreview());
  return new providerMessages.UpdateResponse().setProperties(outputs);
}

export async function readRecord(request: ReadRequest, run: Run): Promise<ReadResponse> {
  const [urn, response] = [request.getUrn(), new providerMessages.ReadResponse()];
  const refusal = refusalOf(urn);
  if (refusal !== undefined) throw new Error(refusal);
  const sent = propertiesOf(request.getProperties());
  const recorded = withoutMarks(sent);
  const isMade = Object.keys(propertiesOf(request.getInputs())).length > 0;
  const kind = recorded["projectId"] === undefined ? "new" : isMade ? "made" : "adopted";
  try {
    const { id, inputs, outputs } = await lifecycle.readRecord(run.engineOf(urn), request.getId(), recorded, kind);
    if (id === undefined) return response;
    response.setId(id).setInputs(inputs === undefined ? request.getInputs() : structOf(withMarks(inputs, sent)));
    // The engine compares the outputs of what a program only adopts, which are read anew in every run.
    const isAdopted = kind === "adopted" || (kind === "new" && request.hasInputs());
    const found = isAdopted ? { ...outputs, __unchangedSince: null } : outputs;
    return response.setProperties(structOf(withReadTime(withMarks(found, sent))));
  } catch (error) {
    const { cause } = problemOf(error instanceof Error ? error.cause : error);
    const why = { sentence: problemOf(error).message, cause };
    if (kind !== "made") return run.failures.hold(urn, why);
    await run.failures.holdOne(urn, why);
    return response.setId(request.getId()).setInputs(request.getInputs()).setProperties(request.getProperties());
  }
}

/** Returns why a resource can't be read or recorded, because it has a type that the plugin has no records of. */
function refusalOf(urn: string): string | undefined {
  const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
  if (type === PLUGIN_TYPE) return undefined;
  return `The plugin agent-log-config has no record of the type ${printable(type, 80)}; use ${PLUGIN_TYPE}.`;
}

function checkFailure(reason: string): InstanceType<typeof providerMessages.CheckFailure> {
  // The engine would print the value of a property that is named.
  return new providerMessages.CheckFailure().setReason(reason);
}

/** What there is in a refresh, in which the engine checks nothing. */
const NOT_CHECKED: lifecycle.CheckResult = { inputs: {}, malformed: [], failures: [] };

const CHANGES = providerMessages.DiffResponse.DiffChanges;

/** Names the properties that differ, because the engine would show internal ones too, here that another service was read. */
function nameChanges(response: DiffResponse, olds: Properties, news: Properties): DiffResponse {
  const { PropertyDiff } = providerMessages;
  const { ADD, DELETE, UPDATE } = PropertyDiff.Kind;
  for (const name of Object.keys({ ...olds, ...news }).filter((key) => !key.startsWith("__"))) {
    const [old, fresh] = [olds[name] ?? null, news[name] ?? null];
    if (isDeepStrictEqual(old, fresh)) continue;
    const kind = old === null ? ADD : fresh === null ? DELETE : UPDATE;
    response.getDetaileddiffMap().set(name, new PropertyDiff().setKind(kind).setInputdiff(true));
  }
  return response.setChanges(CHANGES.DIFF_SOME).setHasdetaileddiff(true);
}

/**
 * Returns the inputs of a resource that is created or updated, unless it fails. A preview can go on, with unknown settings
 * for what depends on the resource.
 */
async function settledInputs(
  request: { getUrn(): string; getPreview(): boolean },
  inputs: Struct | undefined,
  { checks, failures }: Run,
): Promise<Properties> {
  const found = checks.get(request.getUrn())?.failures ?? [];
  if (found.length === 0) return propertiesOf(inputs);
  const why = joinFailures(found);
  if (!request.getPreview()) return failures.hold(request.getUrn(), why);
  await failures.holdOne(request.getUrn(), why);
  return { ...propertiesOf(inputs), ...Object.fromEntries(SETTING_NAMES.map((name) => [name, UNKNOWN])) };
}

/** All reasons of one resource as one. */
function joinFailures(failures: readonly Failure[]): Failure {
  const [sentences, causes] = [failures.map(({ sentence }) => sentence), failures.map(({ cause }) => cause)];
  return { sentence: sentences.join("\n"), cause: causes.join("\n") };
}

function outputsOf(inputs: Properties, olds: Properties, preview: boolean): Struct {
  const recorded = lifecycle.outputsOf(withoutMarks(inputs), withoutMarks(olds));
  const unchangedSince = recorded["__unchangedSince"];
  // The settings are read again in the update that follows.
  const isUnknown = preview && unchangedSince !== olds["__unchangedSince"];
  const outputs = { ...recorded, __unchangedSince: isUnknown ? UNKNOWN : unchangedSince };
  return structOf(withReadTime(withMarks(outputs, inputs)));
}

/** Repeats the time of the read under a name that every language can use. */
function withReadTime(outputs: Properties): Properties {
  return { ...outputs, unchangedSince: outputs["__unchangedSince"] ?? null };
}
