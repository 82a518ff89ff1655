import { hasUnknown, mapValues, type PropertyMap, withoutSecrets } from "./property-value.ts";
import { type ProviderHost, type ProviderHostOptions, startProviderHost } from "./provider-host.ts";
import { providerUrn, type Resource } from "./resource.ts";

/** The provider hosts of one run, one for each provider, started when they are needed first. */
export class ProviderHosts {
  readonly #options: ProviderHostOptions;
  readonly #configured = new Map<string, Promise<ProviderHost>>();
  readonly #started: Promise<ProviderHost>[] = [];

  constructor(options: ProviderHostOptions) {
    this.#options = options;
  }

  configure({ urn, id, name, type, inputs }: Resource): void {
    if (hasUnknown(inputs)) throw new Error(`stand-in engine: unknown inputs of the provider ${name} are not modelled`);
    const host = startProviderHost(this.#options);
    this.#started.push(host);
    const variables = Object.entries(mapValues(inputs, withoutSecrets));
    const prefixed: PropertyMap = Object.fromEntries(
      variables.map(([key, value]) => [`pulumi-nodejs:config:${key}`, value]),
    );
    const configured = host.then(async (started) => {
      const given = variables.length > 0 ? { variables: prefixed } : {};
      await started.call("Configure", { ...given, args: inputs, id, urn, name, type });
      return started;
    });
    configured.catch(() => {});
    this.#configured.set(urn, configured);
  }

  /** Returns the host of a provider, configured by the program, or by the state where the program has not named it. */
  async of(reference: string, state: ReadonlyMap<string, Resource>): Promise<ProviderHost> {
    const urn = providerUrn(reference);
    const provider = state.get(urn);
    if (provider !== undefined && !this.#configured.has(urn)) this.configure(provider);
    const host = await this.#configured.get(urn);
    if (host === undefined) throw new Error(`stand-in engine: there is no provider ${urn}`);
    return host;
  }

  /** Ends all hosts and returns what they have printed. */
  async stop(): Promise<string> {
    const settled = await Promise.allSettled(this.#started);
    const hosts = settled.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    return (await Promise.all(hosts.map((host) => host.stop()))).join("");
  }
}
