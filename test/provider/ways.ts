import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, vi } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { usePluginFolder } from "../plugin/plugin-folder.ts";
import { type PluginProcess, startEngineLog, startPlugin } from "../plugin/plugin-process.ts";
import { type PropertyMap, parseProperties, withoutSecrets } from "../stand-in-engine/property-value.ts";

/** What the engine keeps of a resource. */
export interface Kept {
  readonly id: string;
  readonly inputs: PropertyMap;
  readonly outputs: PropertyMap;
}

/** What the engine asks of a provider for one resource in one run. A failure rejects with what the engine shows. */
export interface Provider {
  check(news: PropertyMap, olds: PropertyMap): Promise<PropertyMap>;
  diff(kept: Kept, news: PropertyMap): Promise<PropertyMap>;
  create(news: PropertyMap): Promise<PropertyMap>;
  update(kept: Kept, news: PropertyMap): Promise<PropertyMap>;
  /** @param kept the resource in the state; its inputs are empty where it is only adopted */
  read(id: string, kept: Partial<Kept>): Promise<PropertyMap>;
  /** Ends the run, and returns what it has warned of. */
  warnings(): Promise<readonly string[]>;
}

type Configuration = Readonly<Record<string, string>>;

/** The connection with a service, without retries. */
export const connectionWith = ({ baseUrl }: Service): Configuration => {
  const key = { publicKey: "publickey", privateKey: "private-key-0001" };
  return { baseUrl, ...key, allowHttp: "true", maxRetries: "0" };
};

/** The two ways. The plugin is started before the tests of a file. */
export function useWays(urn: string) {
  const installed = usePluginFolder();
  let plugin: PluginProcess;
  beforeAll(async () => {
    plugin = await startPlugin(installed.module());
  });
  afterAll(() => plugin.stop());
  return [
    { way: "dynamic provider", open: openDynamicProvider },
    { way: "plugin", open: (configuration: Configuration) => openPlugin(configuration, plugin, urn) },
  ];
}

/** Does for one resource what the engine does in an update. */
export async function update(
  provider: Provider,
  args: PropertyMap,
  kept?: Kept,
): Promise<Kept & { readonly op: string }> {
  const inputs = await provider.check(args, kept?.inputs ?? {});
  if (kept === undefined) return { op: "create", ...(await create(provider, inputs)) };
  const { changes, replaces = [] } = await provider.diff(kept, inputs);
  const isSame = changes === "DIFF_NONE" || isDeepStrictEqual(kept.inputs, inputs);
  if (isSame && changes !== "DIFF_SOME") return { ...kept, op: "same" };
  if (isDeepStrictEqual(replaces, [])) {
    const { properties } = await provider.update(kept, inputs);
    return { op: "update", id: kept.id, inputs, outputs: parseProperties(properties) };
  }
  return { op: `replace by ${replaces}`, ...(await create(provider, await provider.check(args, {}))) };
}

async function create(provider: Provider, inputs: PropertyMap): Promise<Kept> {
  const { id, properties } = await provider.create(inputs);
  return { id: String(id), inputs, outputs: parseProperties(properties) };
}

/** Opens what the provider host of the SDK loads, as in a process of its own. */
async function openDynamicProvider(configuration: Configuration): Promise<Provider> {
  vi.resetModules();
  const provider = await import("../../sdk/provider/dynamic-provider.ts");
  const host = { get: (key: string) => configuration[key.replace("agent-log-config:", "")] };
  return {
    check: async (news, olds) => {
      const { inputs, failures } = await provider.check(host, plain(olds), plain(news));
      if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
      return parseProperties(inputs);
    },
    diff: async ({ id, outputs }, news) => {
      // The host keeps the provider among inputs and outputs.
      const __provider = "exports.handler";
      const recorded = { ...plain(outputs), __provider };
      const { changes, replaces = [] } = await provider.diff(host, id, recorded, { ...plain(news), __provider });
      return { changes: changes === undefined ? "" : changes ? "DIFF_SOME" : "DIFF_NONE", replaces: [...replaces] };
    },
    create: async (news) => {
      const { id, outs } = await provider.create(host, plain(news));
      return { id, properties: parseProperties(outs) };
    },
    update: async ({ id, outputs }, news) => {
      const { outs } = await provider.update(host, id, plain(outputs), plain(news));
      return { properties: parseProperties(outs) };
    },
    read: async (id, { outputs = {} }) => {
      const { props, ...found } = await provider.read(host, id, plain(outputs));
      return parseProperties({ ...found, properties: props });
    },
    warnings: async () => {
      const { calls } = vi.mocked(console.warn).mock;
      const warnings = calls.map(([message]) => String(message));
      vi.mocked(console.warn).mockClear();
      return warnings;
    },
  };
}

/** The host sends what is secret in clear. */
function plain(properties: PropertyMap): PropertyMap {
  return parseProperties(withoutSecrets(properties));
}

/** Lets another engine attach to a plugin that runs, as for a plain refresh, in which no program sends the configuration. */
async function openPlugin(configuration: Configuration, plugin: PluginProcess, urn: string): Promise<Provider> {
  const { address, warnings } = await startEngineLog();
  await plugin.attach(address);
  await plugin.configure(configuration);
  return {
    check: async (news, olds) => plugin.check(news, olds, urn),
    diff: async ({ id, inputs, outputs }, news) =>
      plugin.call("Diff", { urn, id, olds: outputs, oldInputs: inputs, news }),
    create: async (properties) => plugin.call("Create", { urn, properties }),
    update: async ({ id, outputs }, news) => plugin.call("Update", { urn, id, olds: outputs, news }),
    read: async (id, { inputs, outputs = {} }) =>
      plugin.call("Read", { urn, id, properties: outputs, ...(inputs && { inputs }) }),
    warnings: async () => {
      await plugin.cancel();
      return warnings.map(({ message }) => message);
    },
  };
}
