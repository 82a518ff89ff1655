import * as pulumi from "@pulumi/pulumi";
import { AGENT_LOG_CONFIG_TYPE, PLUGIN_TYPE } from "../engine/frozen-texts.ts";
import { type ConnectionOptions, SECRET_CONNECTION_SETTING } from "../model/connection-options.ts";
import { invalidArgument } from "../model/errors.ts";
import {
  CONFIGURATION_NAMESPACE,
  CONNECTION_SETTING_NAMES,
  type ConnectionSetting,
  type ConnectionSettings,
  configurationKey,
  configurationWarnings,
  environment,
  type FoundSetting,
  isConnectionSetting,
  lookUpConnection,
  lookUpSetting,
  providerArguments,
  type SettingLookUp,
  stackConfiguration,
} from "../reading/connection-settings.ts";
import { listUnknownNames, printable } from "../text/printable.ts";
import { isConfigSecret, standFor } from "./private-sdk.ts";
import { programState } from "./program-state.ts";
import { waitForDependencies } from "./wait-for-resources.ts";

/** The connection of a {@link Provider}. A setting that is left out comes from the stack configuration or from the environment. */
export type ProviderArgs = {
  readonly [Setting in keyof ConnectionOptions]?: pulumi.Input<NonNullable<ConnectionOptions[Setting]>> | undefined;
};

/** The connection of a provider: its settings if they are known already, or an Output of them. */
export interface ProviderConnection {
  readonly settings: ConnectionSettings | pulumi.Output<ConnectionSettings>;
  /** The settings are known only after resources exist that the provider depends on. */
  readonly waitsForResources: pulumi.Input<boolean>;
}

/** The member that only providers of this package have, also those that another copy of it made. */
const CONNECTION = Symbol.for("pulumi-agent-log-config.connection");

/** The package whose provider the engine runs for dynamic resources. */
const PACKAGE = "pulumi-nodejs";

/**
 * An explicit connection to the service, for several services or keys in one stack. Pass it as `provider`, or in the
 * `providers` of a component, to {@link AgentLogConfig} and to the functions.
 *
 * A setting that the arguments leave out comes from the stack configuration, and otherwise from the environment. The state keeps
 * the settings, but those of the environment only if `envVarMappings` maps them, and keeps the private key encrypted. No connection
 * is opened before the first read.
 *
 * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for an unknown setting
 * @example
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { AgentLogConfig, Provider } from "pulumi-agent-log-config";
 *
 * const privateKey = new pulumi.Config().requireSecret("westPrivateKey");
 * const west = new Provider("west", { baseUrl: "https://west.example.com:8443", publicKey: "publickey", privateKey });
 * new AgentLogConfig("monitoring", { projectId: "0123456789abcdef01234567", agent: "monitoring" }, { provider: west });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * @param name the provider's name
   * @param args the settings of the connection
   * @param opts the resource options
   */
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const wrongNames = Object.keys(args).filter((key) => !isConnectionSetting(key));
    if (wrongNames.length > 0) {
      const names = listUnknownNames(wrongNames, CONNECTION_SETTING_NAMES);
      throw invalidArgument(`Provider '${printable(name, 80)}' has unknown settings: ${names}.`);
    }
    const variables = environment(opts?.envVarMappings);
    const outputs = CONNECTION_SETTING_NAMES.map((setting) => {
      return [setting, settingOutput(name, setting, args, variables)] as const;
    });
    // Of the environment, only mapped variables are inputs. Others would show a change of the Provider on another machine, and bring a
    // key into the state. The provider's process looks them up for itself.
    const inputs = outputs.map(([setting, output]) => [
      configurationKey(setting),
      output.apply((value) => (value?.place === environment()(setting)?.place ? undefined : value?.text)),
    ]);
    super(PACKAGE, name, Object.fromEntries(inputs), opts);
    // In the providers of a component it stands beside that of other people's dynamic resources, not in its place.
    standFor(this, CONFIGURATION_NAMESPACE);
    // The Output is no secret as a whole, because what is read with a secret key is not one. It goes only into a client.
    const settings: pulumi.Output<ConnectionSettings> = pulumi.unsecret(pulumi.output(Object.fromEntries(outputs)));
    const value = { settings, waitsForResources: waitForDependencies(opts?.dependsOn, args) };
    Object.defineProperty(this, CONNECTION, { value, enumerable: false });
  }
}

/** Each setting is an Output of its own, so that a secret key does not make the address secret. */
function settingOutput(
  name: string,
  setting: ConnectionSetting,
  args: ProviderArgs,
  variables: SettingLookUp,
): pulumi.Output<FoundSetting | undefined> {
  const argument: pulumi.Output<unknown> = pulumi.output(args[setting]);
  const output = argument.apply((value) => {
    const source = providerArguments(name, { [setting]: value });
    return lookUpSetting(setting, [source, stackConfiguration(pulumi.runtime.getConfig), variables]);
  });
  const isSecret = setting === SECRET_CONNECTION_SETTING || isConfigSecret(configurationKey(setting));
  return isSecret ? pulumi.secret(output) : output;
}

/** Returns the provider that a resource has, or that its children inherit: one of ours, else that of all dynamic resources. */
export function providerOf(resource: pulumi.Resource | undefined): pulumi.ProviderResource | undefined {
  return resource?.getProvider(PLUGIN_TYPE) ?? resource?.getProvider(AGENT_LOG_CONFIG_TYPE);
}

/**
 * Returns the connection of a provider; undefined for a provider of another package.
 * @param reader the type and the name of the resource, or the name of the function, that reads
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for a missing provider in a stack without default providers
 */
export function connectionOf(
  provider: pulumi.ProviderResource | undefined,
  reader: string,
): ProviderConnection | undefined {
  refuseMissingProvider(provider, reader);
  if (provider !== undefined) return hasConnection(provider) ? provider[CONNECTION] : undefined;
  warnOfConfiguration();
  return { settings: lookUpConnection(stackConfiguration(pulumi.runtime.getConfig)), waitsForResources: false };
}

function hasConnection(provider: object): provider is { [CONNECTION]: ProviderConnection } {
  return CONNECTION in provider;
}

/**
 * Refuses a resource or a function without a provider, if the stack has no default providers. The engine itself refuses this for plugins,
 * and for all dynamic resources at once. It does not know the functions of a program, and takes AgentLogConfig for any dynamic resource.
 */
export function refuseMissingProvider(provider: pulumi.ProviderResource | undefined, reader: string): void {
  if (provider !== undefined) return;
  const names = pulumi.runtime.getConfig("pulumi:disable-default-providers") || "[]";
  if (!listIn(names).some((name) => ["*", CONFIGURATION_NAMESPACE].includes(String(name).trim()))) return;
  throw invalidArgument(
    `Default provider for '${CONFIGURATION_NAMESPACE}' disabled. '${printable(reader)}' must use an explicit provider; pass { provider: new Provider(...) }.`,
  );
}

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {}
  throw invalidArgument("The configuration key pulumi:disable-default-providers must be a list of packages.");
}

/** Warns once in a program of a private key that the stack keeps in plain text, and of misspelt settings. */
function warnOfConfiguration(): void {
  const state = programState();
  if (state.hasWarned) return;
  state.hasWarned = true;
  for (const warning of configurationWarnings(pulumi.runtime.allConfig(), isConfigSecret)) pulumi.log.warn(warning);
}
