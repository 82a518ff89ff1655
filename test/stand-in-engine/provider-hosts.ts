import { hasUnknown, mapValues, type PropertyMap, withoutSecrets } from "./property-value.ts";
import { type ProviderHost, type ProviderHostOptions, startProviderHost } from "./provider-host.ts";
import { providerUrn, type Resource } from "./resource.ts";

interface ConfiguredHost {
  readonly key: string;
  /** Nothing where the configuration is unknown: such a provider is never asked anything. */
  readonly host: Promise<ProviderHost> | undefined;
}

/** The provider hosts of one run, one for each provider, started when they are needed first. */
export class ProviderHosts {
  readonly #options: ProviderHostOptions;
  readonly #configured = new Map<string, ConfiguredHost>();
  readonly #started: Promise<ProviderHost>[] = [];
  #spare: Promise<ProviderHost> | undefined;

  constructor(options: ProviderHostOptions) {
    this.#options = options;
  }

  /** Starts a host that the next provider takes over, so that it starts while the program does. */
  prepare(): void {
    this.#spare ??= this.#start();
  }

  configure({ urn, id, name, type, inputs }: Resource): void {
    const key = JSON.stringify([id, inputs]);
    if (this.#configured.get(urn)?.key === key) return;
    const host = hasUnknown(inputs) ? undefined : this.#take();
    const variables = mapValues(inputs, withoutSecrets);
    const request: PropertyMap = {
      ...(Object.keys(variables).length > 0 ? { variables: prefixed(variables) } : {}),
      args: inputs,
      id,
      urn,
      name,
      type,
    };
    const configured = host?.then(async (started) => {
      await started.call("Configure", request);
      return started;
    });
    configured?.catch(() => {});
    this.#configured.set(urn, { key, host: configured });
  }

  /** Returns the host of a provider, configured by the program, or by the state where the program has not named it. */
  async of(reference: string, state: ReadonlyMap<string, Resource>): Promise<ProviderHost | undefined> {
    const urn = providerUrn(reference);
    if (!this.#configured.has(urn)) {
      const provider = state.get(urn);
      if (provider === undefined) throw new Error(`stand-in engine: there is no provider ${urn}`);
      this.configure(provider);
    }
    return await this.#configured.get(urn)?.host;
  }

  /** Ends all hosts and returns what they have printed. */
  async stop(): Promise<string> {
    const settled = await Promise.allSettled(this.#started);
    const hosts = settled.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    return (await Promise.all(hosts.map((host) => host.stop()))).join("");
  }

  #take(): Promise<ProviderHost> {
    const host = this.#spare ?? this.#start();
    this.#spare = undefined;
    return host;
  }

  #start(): Promise<ProviderHost> {
    const host = startProviderHost(this.#options);
    host.catch(() => {});
    this.#started.push(host);
    return host;
  }
}

function prefixed(variables: PropertyMap): PropertyMap {
  return Object.fromEntries(Object.entries(variables).map(([key, value]) => [`pulumi-nodejs:config:${key}`, value]));
}
