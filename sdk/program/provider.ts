import * as pulumi from "@pulumi/pulumi";
import type { ConnectionOptions } from "../client/connection-options.ts";
import { invalidArgument } from "../client/errors.ts";
import {
  CONNECTION_SETTINGS,
  type ConnectionSetting,
  type ConnectionSettings,
  configurationKey,
  type FoundSetting,
  lookUpConnection,
  lookUpSetting,
} from "../shared/connection-settings.ts";
import { isConfigSecret } from "./private-sdk.ts";
import { waitForDependencies } from "./wait-for-dependencies.ts";
import { warnOfConfiguration } from "./warn-of-configuration.ts";

/**
 * The connection of a {@link Provider}. A setting that is left out comes from the stack configuration or from the
 * environment.
 */
export type ProviderArgs = {
  readonly [Setting in keyof ConnectionOptions]?: pulumi.Input<NonNullable<ConnectionOptions[Setting]>> | undefined;
};

/** A connection as a program knows it. */
export interface ProgramConnection {
  readonly settings: ConnectionSettings;
  /** The connection was known only after resources existed that the provider depends on. */
  readonly hasWaited: boolean;
}

/** The mark of providers of this package, also of those that another copy of it made. */
const CONNECTION = Symbol.for("pulumi-agent-log-config.connection");

/** The package whose provider the engine runs for dynamic resources. */
const PACKAGE = "pulumi-nodejs";

/**
 * An explicit connection to the service, for several services or keys in one stack. Pass it as `provider`, or in the
 * `providers` of a component, to {@link AgentLogConfig} and to the functions.
 *
 * Each setting comes from the arguments, else from the stack configuration, else from the environment. The state keeps
 * them, the private key encrypted. Nothing is connected before the first read.
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
    refuseUnknown(name, args);
    const found = CONNECTION_SETTINGS.map((setting) => [setting, find(setting, args)] as const);
    const inputs = found.map(([setting, output]) => [configurationKey(setting), output.apply((value) => value?.text)]);
    super(PACKAGE, name, Object.fromEntries(inputs), opts);
    const value = pulumi
      .all([pulumi.output(Object.fromEntries(found)), waitForDependencies(opts?.dependsOn, args)])
      .apply(([settings, hasWaited]): ProgramConnection => ({ settings, hasWaited }));
    Object.defineProperty(this, CONNECTION, { value, enumerable: false });
  }
}

function refuseUnknown(name: string, args: ProviderArgs): void {
  const unknown = Object.keys(args).filter((key) => !CONNECTION_SETTINGS.some((known) => known === key));
  if (unknown.length === 0) return;
  throw invalidArgument(
    `Provider '${name}' has unknown settings: ${unknown.join(", ")}; the valid ones are ${CONNECTION_SETTINGS.join(", ")}.`,
  );
}

/** Each setting is an Output of its own, so that a secret key does not make the address secret. */
function find(setting: ConnectionSetting, args: ProviderArgs): pulumi.Output<FoundSetting | undefined> {
  const argument: pulumi.Output<unknown> = pulumi.output(args[setting]);
  const found = argument.apply((value) =>
    lookUpSetting(setting, value == null ? "" : String(value), pulumi.runtime.getConfig),
  );
  const isSecret = setting === "privateKey" || isConfigSecret(configurationKey(setting));
  return isSecret ? pulumi.secret(found) : found;
}

/** Returns a connection. It is a function so that Pulumi does not look into what it returns. */
export type Connect = () => ProgramConnection;

/**
 * Returns the connection of a provider, as an Output where it may be unknown in a preview; undefined for a provider of
 * another package. It is not marked as a secret, because what is read with a secret key is not a secret: it must go into a
 * client only.
 */
export function connectionOf(
  provider: pulumi.ProviderResource | undefined,
): Connect | pulumi.Output<Connect> | undefined {
  if (provider === undefined) return defaultConnection;
  if (!hasConnection(provider)) return undefined;
  return pulumi.unsecret(provider[CONNECTION]).apply((connection) => () => connection);
}

function defaultConnection(): ProgramConnection {
  warnOfConfiguration();
  return { settings: lookUpConnection(pulumi.runtime.getConfig), hasWaited: false };
}

function hasConnection(provider: object): provider is { [CONNECTION]: pulumi.Output<ProgramConnection> } {
  return CONNECTION in provider;
}
