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
import { PLUGIN_FLEET_TYPE, PLUGIN_TYPE } from "../engine/frozen-texts.ts";
import { SECRET_SETTING } from "../model/agent-log-settings.ts";
import { checkInputs } from "../record/check-inputs.ts";
import { resourceIdOf, unread } from "../record/fleet-record.ts";
import { differenceOf, outputsToRecord } from "../record/record-changes.ts";
import { isRecorded } from "../record/recorded-settings.ts";
import { refreshRecord } from "../record/refresh-record.ts";
import { secretNamesBehind } from "../record/resource-arguments.ts";
import {
  asProperties,
  type Properties,
  parseProperties,
  type ResourceProperties,
  sealSecrets,
  withoutInternal,
} from "../record/resource-properties.ts";
import { printable } from "../text/printable.ts";
import { propertiesOf, resealAs, sealedNames, structOf, typeInUrn, withoutSeals } from "./engine-messages.ts";
import type { PluginRun } from "./plugin-run.ts";

// ../record/ decides what a resource does. Here its properties are taken out of the engine's messages and put back, and failures of a
// preview or a refresh are held.

export async function checkRecord(request: CheckRequest, run: PluginRun): Promise<CheckResponse> {
  const urn = request.getUrn();
  const response = new providerMessages.CheckResponse();
  const problem = problemOfType(urn);
  // The failure names no property, because the engine would print its value.
  if (problem !== undefined) {
    return response.setFailuresList([new providerMessages.CheckFailure().setReason(problem)]);
  }
  // No program reads for the plugin, so an origin would be forged. With `ignoreChanges: ["*"]` the recorded internal properties
  // come back as inputs.
  const sent = withoutInternal(propertiesOf(request.getNews()));
  const news = typeInUrn(urn) === PLUGIN_FLEET_TYPE ? { projects: null, ...sent } : sent;
  const olds = propertiesOf(request.getOlds());
  const secrets = [SECRET_SETTING, ...secretNamesBehind(sealedNames(news))];
  const { inputs, failures, warnings } = await checkInputs(run.context, parseSealed(olds), parseSealed(news), secrets);
  run.report.note(urn, failures);
  run.report.warn(urn, warnings);
  return response.setInputs(structOf(sealSecrets(resealAs(asProperties(inputs), news), secrets)));
}

export function diffRecord(request: DiffRequest): DiffResponse {
  const outputs = parseSealed(propertiesOf(request.getOlds()));
  const inputs = parseSealed(propertiesOf(request.getOldInputs() ?? request.getOlds()));
  const news = parseSealed(propertiesOf(request.getNews()));
  const { changes, replaces = [] } = differenceOf(request.getId(), outputs, inputs, news);
  const { DIFF_NONE, DIFF_SOME, DIFF_UNKNOWN } = providerMessages.DiffResponse.DiffChanges;
  const kind = changes === undefined ? DIFF_UNKNOWN : changes ? DIFF_SOME : DIFF_NONE;
  return new providerMessages.DiffResponse().setReplacesList([...replaces]).setChanges(kind);
}

export async function createRecord(request: CreateRequest, run: PluginRun): Promise<CreateResponse> {
  const inputs = propertiesOf(request.getProperties());
  const record = await recordOrHold(request, inputs, run);
  // As with every resource, an id is unknown until there is a record.
  const id = request.getPreview() ? "" : resourceIdOf(record);
  return new providerMessages.CreateResponse()
    .setProperties(structOf(resealAs(asProperties(record), inputs)))
    .setId(id);
}

export async function updateRecord(request: UpdateRequest, run: PluginRun): Promise<UpdateResponse> {
  const inputs = propertiesOf(request.getNews());
  const record = await recordOrHold(request, inputs, run);
  return new providerMessages.UpdateResponse().setProperties(structOf(resealAs(asProperties(record), inputs)));
}

export async function readRecord(request: ReadRequest, run: PluginRun): Promise<ReadResponse> {
  const urn = request.getUrn();
  const response = new providerMessages.ReadResponse();
  const problem = problemOfType(urn);
  if (problem !== undefined) throw new Error(problem);
  const olds = propertiesOf(request.getProperties());
  // Outputs do not say what they were read for.
  const oldInputs = propertiesOf(request.getInputs());
  const record = { ...parseSealed(olds), readTarget: parseSealed(oldInputs).readTarget };
  const isNew = !isRecorded(record);
  if (isNew && typeInUrn(urn) === PLUGIN_FLEET_TYPE) throw new Error(NO_IMPORT);
  // An import has no inputs. The state that a program gives to `get` comes as inputs, too.
  const isExternal = isNew ? request.hasInputs() : Object.keys(oldInputs).length === 0;
  const { id, inputs, outputs, warnings, failures } = await refreshRecord(run.context, request.getId(), record);
  if (failures.length > 0) {
    if (isNew || isExternal) return run.report.fail(urn, failures);
    await run.report.hold(urn, failures);
    return response.setId(request.getId()).setInputs(request.getInputs()).setProperties(request.getProperties());
  }
  run.report.warn(urn, warnings);
  if (id === undefined) return response;
  const newInputs = inputs && structOf(isExternal ? {} : resealAs(asProperties(inputs), olds));
  response.setId(id).setInputs(newInputs ?? request.getInputs());
  return response.setProperties(structOf(resealAs(asProperties(outputs), olds)));
}

const NO_IMPORT = "An AgentLogConfigs can't be imported or read by an id; create the resource, because it only reads.";

function parseSealed(properties: Properties): ResourceProperties {
  return parseProperties(withoutSeals(properties));
}

/** Returns why a resource can't be read or recorded, because it has a type that the plugin has no records of. */
function problemOfType(urn: string): string | undefined {
  const type = typeInUrn(urn);
  if (type === PLUGIN_TYPE || type === PLUGIN_FLEET_TYPE) return undefined;
  return `The plugin agent-log-config has no record of the type ${printable(type, 80)}; use ${PLUGIN_TYPE} or ${PLUGIN_FLEET_TYPE}.`;
}

/**
 * Returns the record of a resource that is created or updated, unless it fails. A preview goes on, with unknown settings for
 * what depends on the resource.
 */
async function recordOrHold(
  request: { getUrn(): string; getPreview(): boolean },
  inputs: Properties,
  { report }: PluginRun,
): Promise<ResourceProperties> {
  const urn = request.getUrn();
  const { outputs, failures } = outputsToRecord(parseSealed(inputs));
  if (failures.length === 0) return outputs;
  if (!request.getPreview()) report.fail(urn, failures);
  await report.hold(urn, failures);
  const { readTarget: _, ...unknownOutputs } = unread(outputs);
  return unknownOutputs;
}
