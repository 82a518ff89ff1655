import * as pulumi from "@pulumi/pulumi";
import {
  CONNECTION_SETTINGS,
  type ConnectionSetting,
  type ConnectionTexts,
  configurationKey,
  lookUpConnection,
  lookUpSetting,
} from "./client/connection-settings.ts";
import { describeUnknownNames } from "./client/describe-unknown-names.ts";
import { invalidArgument } from "./client/errors.ts";
import { DoorError } from "./door-error.ts";
import { waitForDependencies } from "./wait-for-dependencies.ts";

/** The connection of a {@link Provider}. What is left out comes from the stack configuration or from the environment. */
export interface ProviderArgs {
  /** The address of the service, such as `https://example.com:8443`, with or without `/api/public/v1.0`. */
  readonly baseUrl?: pulumi.Input<string> | undefined;
  /** The public API key. */
  readonly publicKey?: pulumi.Input<string> | undefined;
  /** The private API key. It is kept as a secret. */
  readonly privateKey?: pulumi.Input<string> | undefined;
  /** A certificate authority to trust besides the system's: PEM text, or the path of a PEM file. */
  readonly caCertificate?: pulumi.Input<string> | undefined;
  /** Allows `http:` addresses, over which the settings travel in clear. Default: false. */
  readonly allowHttp?: pulumi.Input<boolean> | undefined;
  /** Seconds that one whole read may take, its repeats included; more than 0, at most 3600. Default: 30. */
  readonly timeoutSeconds?: pulumi.Input<number> | undefined;
  /** Times that a read is repeated after a cut connection or status 429, 502, 503 or 504, from 0 to 10. Default: 3. */
  readonly maxRetries?: pulumi.Input<number> | undefined;
}

/** A connection, as texts that are not yet checked. */
export interface ProviderConnection {
  readonly texts: ConnectionTexts;
  /** It was only there once resources were that the provider depends on. */
  readonly hasWaited: boolean;
}

/** What providers of this package are known by, also those that another copy of it made. */
const CONNECTION = Symbol.for("pulumi-agent-log-config.connection");

/** The package whose provider the engine runs for dynamic resources. */
const PACKAGE = "pulumi-nodejs";

/**
 * An explicit connection to the service, to be passed as `provider` (or in a component's `providers`) to
 * {@link AgentLogConfig} and to both function forms: several services or keys in one stack.
 *
 * Every setting is resolved here (arguments, then stack configuration, then environment) and kept in the state, the
 * private key encrypted. Nothing is connected.
 *
 * @throws {@link DoorError} for an argument that is none of the settings
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
   * @param name of the provider in the stack
   * @param args the settings; what is left out comes from the stack configuration, then from the environment
   * @param opts as for every resource
   */
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    checkNames(name, args);
    const texts = CONNECTION_SETTINGS.map((setting) => [setting, textOf(setting, args)] as const);
    super(PACKAGE, name, Object.fromEntries(texts.map(([setting, text]) => [configurationKey(setting), text])), opts);
    const value = pulumi
      .all([pulumi.output(Object.fromEntries(texts)), waitForDependencies(opts?.dependsOn, args)])
      .apply(([texts, hasWaited]): ProviderConnection => ({ texts, hasWaited }));
    Object.defineProperty(this, CONNECTION, { value, enumerable: false });
  }
}

function checkNames(name: string, args: ProviderArgs): void {
  const known: readonly string[] = CONNECTION_SETTINGS;
  const unknown = Object.keys(args).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  throw new DoorError(
    invalidArgument(
      `Provider '${name}' has unknown settings: ${describeUnknownNames(unknown, known)}. The known ones are: ${known.join(", ")}.`,
    ),
  );
}

/** Each on its own, so that a secret key does not make the address secret. */
function textOf(setting: ConnectionSetting, args: ProviderArgs): pulumi.Output<string | undefined> {
  const given: pulumi.Output<unknown> = pulumi.output(args[setting]);
  const text = given.apply((value) =>
    lookUpSetting(setting, value == null ? "" : String(value), pulumi.runtime.getConfig),
  );
  return setting === "privateKey" ? pulumi.secret(text) : text;
}

/**
 * The connection that goes with a provider, behind a function so that Pulumi does not look at each text. It is never marked secret, since what is read with a secret key is not secret itself: it must not go
 * anywhere but into a client.
 *
 * @throws TypeError where the provider is one of another package
 */
export function connectionOf(provider: pulumi.ProviderResource | undefined): pulumi.Output<() => ProviderConnection> {
  if (provider === undefined) {
    return pulumi.output(() => ({ texts: lookUpConnection(pulumi.runtime.getConfig), hasWaited: false }));
  }
  if (hasConnection(provider)) return pulumi.unsecret(provider[CONNECTION]).apply((connection) => () => connection);
  throw invalidArgument(
    "The provider given to it is not one of pulumi-agent-log-config; pass { provider: new Provider(...) }.",
  );
}

function hasConnection(provider: object): provider is { [CONNECTION]: pulumi.Output<ProviderConnection> } {
  return CONNECTION in provider;
}
