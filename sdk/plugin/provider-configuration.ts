import providerMessages, {
  type CheckRequest,
  type CheckResponse,
  type ConfigureRequest,
} from "@pulumi/pulumi/proto/provider_pb.js";
import type { EngineLog } from "../engine/engine-log.ts";
import { sealProperty } from "../engine/engine-marks.ts";
import { SECRET_CONNECTION_SETTING } from "../model/connection-options.ts";
import {
  CONFIGURATION_NAMESPACE,
  type ConnectionSettings,
  configurationText,
  configurationWarnings,
  lookUpConnection,
  providerArguments,
  stackConfiguration,
} from "../reading/connection-settings.ts";
import type { Properties } from "../record/resource-properties.ts";
import { isPlainObject } from "../text/json.ts";
import { nameInUrn, propertiesOf, structOf, withoutSeals } from "./engine-messages.ts";

/** Returns the settings of a provider as they are recorded, the secret sealed. */
export function checkConfiguration(request: CheckRequest, log: EngineLog): CheckResponse {
  const news = propertiesOf(request.getNews());
  const stackEntries = Object.entries(withoutSeals(news)).filter(([name, value]) => !isArgument(name, value));
  const configuration = Object.fromEntries(
    stackEntries.map(([name, value]) => [`${CONFIGURATION_NAMESPACE}:${name}`, value]),
  );
  // The engine sends no seal even for a key that the stack keeps as a secret, so each key counts as a secret.
  for (const warning of configurationWarnings(configuration, () => true))
    log.show("WARNING", request.getUrn(), warning);
  return new providerMessages.CheckResponse().setInputs(structOf(sealProperty(news, SECRET_CONNECTION_SETTING)));
}

/** @param isFromProgram the program has sent the configuration; otherwise all of it comes from the state */
export function configuredConnection(request: ConfigureRequest, isFromProgram: boolean): ConnectionSettings {
  const properties = withoutSeals(propertiesOf(request.getArgs()));
  const entries = Object.entries(properties).filter(([name, value]) => !isFromProgram || isArgument(name, value));
  const args = Object.fromEntries(entries);
  return lookUpConnection(providerArguments(nameInUrn(request.getUrn() ?? ""), args), stackConfiguration(stackText));
}

/** The stack's settings of this plugin, which the engine gives to explicit providers too; names without the namespace. */
const stackJson: unknown = JSON.parse(process.env["PULUMI_CONFIG"] || "{}");
const stackValues: Properties = isPlainObject(stackJson) ? stackJson : {};

function stackText(key: string): string | undefined {
  const value = stackValues[key.replace(/^.*:/, "")];
  return value == null ? undefined : configurationText(value);
}

/** The default provider has the stack's settings as arguments, so only a value that differs from them is an argument. */
function isArgument(name: string, value: unknown): boolean {
  return configurationText(value) !== stackText(name);
}
