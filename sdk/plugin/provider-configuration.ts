import providerMessages, {
  type CheckRequest,
  type CheckResponse,
  type ConfigureRequest,
} from "@pulumi/pulumi/proto/provider_pb.js";
import {
  CONFIGURATION_NAMESPACE,
  configurationWarnings,
  providerArguments,
  type SettingsSource,
  stackConfiguration,
  textOf,
} from "../connection/connection-settings.ts";
import { seal } from "../engine/engine-marks.ts";
import { SECRET_CONNECTION_SETTING } from "../model/connection-options.ts";
import { isPlainObject } from "../model/is-object.ts";
import type { Properties } from "../record/resource-record.ts";
import { withoutMarks } from "./property-marks.ts";
import { nameOf } from "./resource-urn.ts";
import type { Run } from "./run.ts";
import { propertiesOf, structOf } from "./structs.ts";

/** Returns the settings of a provider as they are recorded, the secrets marked. */
export function checkConfiguration(request: CheckRequest, run: Run): CheckResponse {
  const news = propertiesOf(request.getNews());
  const ofStack = Object.entries(withoutMarks(news)).filter(([name, value]) => !isArgument(name, value));
  const given = Object.fromEntries(ofStack.map(([name, value]) => [`${CONFIGURATION_NAMESPACE}:${name}`, value]));
  // The engine sends a key that the stack keeps as a secret without a mark, too.
  for (const warning of configurationWarnings(given, () => true)) run.warn(request.getUrn(), warning);
  const sealed = Object.entries(news).map(([name, value]) => [
    name,
    name === SECRET_CONNECTION_SETTING ? seal(value) : value,
  ]);
  return new providerMessages.CheckResponse().setInputs(structOf(Object.fromEntries(sealed)));
}

/** Returns the places of the settings of a provider, the first one first. */
export function configurationOf(request: ConfigureRequest): readonly SettingsSource[] {
  const given = withoutMarks(propertiesOf(request.getArgs()));
  const args = Object.fromEntries(Object.entries(given).filter(([name, value]) => isArgument(name, value)));
  return [providerArguments(nameOf(request.getUrn() ?? ""), args), stackConfiguration(configuredText)];
}

/** The stack's settings of this plugin, which the engine gives to explicit providers too; names without the namespace. */
const given: unknown = JSON.parse(process.env["PULUMI_CONFIG"] || "{}");
const configured: Properties = isPlainObject(given) ? given : {};

function configuredText(key: string): string | undefined {
  const value = configured[key.replace(/^.*:/, "")];
  return value == null ? undefined : textOf(value);
}

/** The default provider has the stack's settings as arguments, so that an argument is what differs from them. */
function isArgument(name: string, value: unknown): boolean {
  return textOf(value) !== configuredText(name);
}
