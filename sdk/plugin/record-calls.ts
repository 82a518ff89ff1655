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
import { printable } from "../client/printable.ts";
import type { Properties } from "../provider/resource-lifecycle.ts";
import * as lifecycle from "../provider/resource-lifecycle.ts";
import { UNKNOWN } from "../shared/engine-marks.ts";
import type { Failure } from "../shared/failure-report.ts";
import { problemOf } from "../shared/reading.ts";
import { resourceArgumentsSchema } from "../shared/resource-arguments.ts";
import { PLUGIN_TYPE } from "../shared/resource-type.ts";
import { secretsBehind } from "../shared/unmet-expectations.ts";
import { markedNames, withMarks, withoutMarks } from "./property-marks.ts";
import { nameOf, typeOf } from "./resource-urn.ts";
import type { Run } from "./run.ts";
import { propertiesOf, structOf } from "./structs.ts";

// For each record the engine calls Check, then Diff if there is one already, then Create or Update if it differs; in a refresh
// Read and then Diff alone. Check reads the settings. It can't fail, since the engine would end its work there, also where it is
// asked to go on after errors. So Diff asks for an update of what fails, and Create or Update fails.

export async function checkRecord(request: CheckRequest, run: Run): Promise<CheckResponse> {
  const [urn, response] = [request.getUrn(), new providerMessages.CheckResponse()];
  const refusal = refusalOf(urn);
  // The engine would print the value of a property that is named.
  if (refusal !== undefined) {
    return response.setFailuresList([new providerMessages.CheckFailure().setReason(refusal)]);
  }
  // No program reads for the plugin, so that a reading is a forged one.
  const { __reading: _, ...sent } = propertiesOf(request.getNews());
  const recorded = propertiesOf(request.getOlds());
  const secrets = [...SECRET_SETTINGS, ...secretsBehind(markedNames(sent))];
  const checked = await lifecycle.completeInputs(run.hostOf(urn), withoutMarks(recorded), withoutMarks(sent), secrets);
  run.checks.set(urn, checked);
  run.failures.note(urn, checked.failures);
  run.warnings.note(urn, checked.warnings);
  return response.setInputs(structOf(withMarks(checked.inputs, sent, recorded)));
}

export function diffRecord(request: DiffRequest, run: Run): DiffResponse {
  const [urn, response] = [request.getUrn(), new providerMessages.DiffResponse()];
  const outputs = propertiesOf(request.getOlds());
  run.warnings.note(urn, withoutEffect(urn, request.getIgnorechangesList()));
  const { outage, failures = [] } = run.checks.get(urn) ?? {};
  if (outage !== undefined) run.warnings.note(urn, [{ ...outage, unchangedSince: outputs["unchangedSince"] }]);
  // A record is not replaced by one that fails.
  if (failures.length > 0) return response.setChanges(CHANGES.DIFF_SOME);
  const inputs = propertiesOf(request.getOldInputs() ?? request.getOlds());
  const { changes, replaces = [] } = lifecycle.diff(
    withoutMarks(inputs),
    withoutMarks(propertiesOf(request.getNews())),
  );
  if (changes !== false) return response.setReplacesList(replaces).setChanges(CHANGES.DIFF_UNKNOWN);
  // A record that a program in TypeScript has made has its provider in it, and is recorded without it.
  return response.setChanges("__provider" in outputs ? CHANGES.DIFF_SOME : CHANGES.DIFF_NONE);
}

export async function createRecord(request: CreateRequest, run: Run): Promise<CreateResponse> {
  const inputs = await inputsToRecord(request, request.getProperties(), run);
  const response = new providerMessages.CreateResponse().setProperties(
    recordedOutputs(inputs, {}, request.getPreview()),
  );
  // As with every resource, an id is unknown until there is a record.
  return response.setId(request.getPreview() ? "" : idOf(withoutMarks(inputs)));
}

export async function updateRecord(request: UpdateRequest, run: Run): Promise<UpdateResponse> {
  const news = await inputsToRecord(request, request.getNews(), run);
  const outputs = recordedOutputs(news, propertiesOf(request.getOlds()), request.getPreview());
  return new providerMessages.UpdateResponse().setProperties(outputs);
}

export async function readRecord(request: ReadRequest, run: Run): Promise<ReadResponse> {
  const [urn, response] = [request.getUrn(), new providerMessages.ReadResponse()];
  const refusal = refusalOf(urn);
  if (refusal !== undefined) throw new Error(refusal);
  const sent = propertiesOf(request.getProperties());
  const recorded = withoutMarks(sent);
  const made = propertiesOf(request.getInputs());
  const isNew = recorded["projectId"] === undefined;
  // An import has no inputs. The state that a program gives to `get` comes as inputs, too.
  const isAdopted = isNew ? request.hasInputs() : Object.keys(made).length === 0;
  try {
    const { id, inputs, outputs, warning } = await lifecycle.refresh(
      run.hostOf(urn),
      request.getId(),
      recorded,
      isAdopted,
    );
    if (warning !== undefined) run.warnings.note(urn, [warning]);
    if (id === undefined) return response;
    response.setId(id).setInputs(inputs === undefined ? request.getInputs() : structOf(withMarks(inputs, sent, made)));
    return response.setProperties(structOf(complete(withMarks(outputs, sent))));
  } catch (error) {
    const failures = [problemOf(error)];
    if (isNew || isAdopted) return run.failures.fail(urn, failures);
    await run.failures.hold(urn, failures);
    return response.setId(request.getId()).setInputs(request.getInputs()).setProperties(request.getProperties());
  }
}

/** Returns why a resource can't be read or recorded, because it has a type that the plugin has no records of. */
function refusalOf(urn: string): string | undefined {
  const type = typeOf(urn);
  if (type === PLUGIN_TYPE) return undefined;
  return `The plugin agent-log-config has no record of the type ${printable(type, 80)}; use ${PLUGIN_TYPE}.`;
}

/** The properties whose changes a program may ignore. */
const PROPERTY_NAMES: readonly string[] = [...SETTING_NAMES, ...Object.keys(resourceArgumentsSchema.shape)];

/** Returns a warning if some paths in ignoreChanges lead to no property, as the names of Python do: the engine says nothing. */
function withoutEffect(urn: string, ignored: readonly string[]): readonly Failure[] {
  const names = ignored.map((path) => /[^[\]".]+/.exec(path)?.[0] ?? path);
  const unknown = names
    .filter((name) => name !== "*" && !name.startsWith("__") && !PROPERTY_NAMES.includes(name))
    .map((name) => printable(name, 80));
  if (unknown.length === 0) return [];
  const cause = `ignoreChanges has no effect on ${unknown.join(", ")}; the valid names are ${PROPERTY_NAMES.join(", ")}.`;
  return [{ message: `AgentLogConfig ${nameOf(urn)}: ${cause}`, cause }];
}

const CHANGES = providerMessages.DiffResponse.DiffChanges;

/**
 * Returns the inputs of a resource that is created or updated, unless it fails. A preview goes on, with unknown settings for
 * what depends on the resource.
 */
async function inputsToRecord(
  request: { getUrn(): string; getPreview(): boolean },
  inputs: Struct | undefined,
  { checks, failures }: Run,
): Promise<Properties> {
  const [urn, properties] = [request.getUrn(), propertiesOf(inputs)];
  const found = checks.get(urn)?.failures ?? [];
  if (found.length === 0) return properties;
  if (!request.getPreview()) return failures.fail(urn, found);
  await failures.hold(urn, found);
  return { ...properties, ...Object.fromEntries(SETTING_NAMES.map((name) => [name, UNKNOWN])) };
}

function recordedOutputs(inputs: Properties, olds: Properties, preview: boolean): Struct {
  const recorded = lifecycle.outputsOf(withoutMarks(inputs), withoutMarks(olds));
  const { unchangedSince } = recorded;
  // The settings are read again in the update that follows.
  const isUnknown = preview && unchangedSince !== olds["unchangedSince"];
  const outputs = isUnknown ? { ...recorded, unchangedSince: UNKNOWN } : recorded;
  return structOf(complete(withMarks(outputs, inputs)));
}

/** Adds the outputs that may be absent. One that is left out is unknown in previews. */
function complete({ whenUnavailable = null, unchangedSince = null, ...outputs }: Properties): Properties {
  return { ...outputs, whenUnavailable, unchangedSince };
}
