import { isDeepStrictEqual } from "node:util";
import providerMessages, {
  type CheckRequest,
  type CheckResponse,
  type ConfigureRequest,
  type DiffRequest,
  type DiffResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { CONNECTION_SETTINGS } from "../client/connection-options.ts";
import type { Properties } from "../provider/resource-lifecycle.ts";
import {
  CONFIGURATION_NAMESPACE,
  configurationWarnings,
  providerArguments,
  type SettingsSource,
  stackConfiguration,
} from "../shared/connection-settings.ts";
import { seal } from "../shared/engine-marks.ts";
import { nameOf } from "./held-calls.ts";
import { withoutMarks } from "./property-marks.ts";
import type { ProviderConfiguration, Run } from "./run.ts";
import { propertiesOf, structOf } from "./structs.ts";

/** Returns the settings of a provider as they are recorded, the secrets marked. */
export function checkConfiguration(request: CheckRequest, run: Run): CheckResponse {
  const news = propertiesOf(request.getNews());
  if (isDefaultProvider(request.getUrn())) {
    const names = Object.keys(news).filter((name) => !ENGINE_SETTINGS.has(name));
    const given = Object.fromEntries(names.map((name) => [`${CONFIGURATION_NAMESPACE}:${name}`, news[name]]));
    // The engine sends a key that the stack keeps as a secret without a mark, too.
    for (const warning of configurationWarnings(given, () => true)) run.warn(request.getUrn(), warning);
  }
  const sealed = Object.entries(news).map(([name, value]) => [name, isSecretSetting(name) ? seal(value) : value]);
  return new providerMessages.CheckResponse().setInputs(structOf(Object.fromEntries(sealed)));
}

/** Compares the settings of a provider with those that are recorded. */
export function diffConfiguration(request: DiffRequest): DiffResponse {
  const [olds, news] = [propertiesOf(request.getOldInputs() ?? request.getOlds()), propertiesOf(request.getNews())];
  const isSame = isDeepStrictEqual(withoutMarks(olds), withoutMarks(news));
  const { DIFF_NONE, DIFF_SOME } = providerMessages.DiffResponse.DiffChanges;
  return new providerMessages.DiffResponse().setChanges(isSame ? DIFF_NONE : DIFF_SOME);
}

/** Returns where the settings of a provider are. */
export function configurationOf(request: ConfigureRequest): ProviderConfiguration {
  const given = withoutMarks(propertiesOf(request.getArgs()));
  const urn = request.getUrn() ?? "";
  const [, stack] = /^urn:pulumi:([\w.-]+)::/.exec(urn) ?? [];
  // Only the default provider gets the stack's settings as arguments.
  const sources = isDefaultProvider(urn)
    ? [configurationIn(given)]
    : [providerArguments(nameOf(urn), given), configurationIn(configured)];
  return { sources, stack };
}

/** What the engine itself keeps beside the configuration of a provider. */
const ENGINE_SETTINGS: ReadonlySet<string> = new Set(["version", "pluginDownloadURL", "__internal"]);

/** The stack's settings of this plugin, which the engine gives to explicit providers too; names without the namespace. */
const configured: Properties = JSON.parse(process.env["PULUMI_CONFIG"] || "{}");

/** @param values by the names of the settings, without the namespace */
function configurationIn(values: Properties): SettingsSource {
  return stackConfiguration((key) => {
    const value = values[key.replace(/^.*:/, "")];
    return value == null ? undefined : String(value);
  });
}

function isSecretSetting(name: string): boolean {
  return Reflect.get(CONNECTION_SETTINGS, name) === "secret";
}

/**
 * The default provider has the configuration of the stack, and other providers have their arguments. The engine names it after
 * the version of the plugin and the address to download it from, in which it replaces the colon.
 */
function isDefaultProvider(urn: string): boolean {
  return /::default(?:_\d+_\d+_\d+(?:_.*)?|_[a-z]+_\/.*)?$/.test(urn);
}
