import { Server, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import emptyMessages, { type Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { bindServer } from "./bind-server.ts";
import { hasUnknown, mapValues, type PropertyMap, withoutSecrets } from "./property-value.ts";
import { ProviderClient, type ProviderMethod } from "./provider-client.ts";
import { providerUrn, type Resource } from "./resource.ts";
import { type RunProcess, startScript } from "./run-process.ts";

export interface ProviderHostOptions extends RunProcess {
  readonly project: string;
}

/** Calls the provider in a host. */
export type CallProvider = (method: ProviderMethod, values: PropertyMap) => Promise<PropertyMap>;

/** The provider hosts of one run, one for each provider, started when they are needed first. */
export class ProviderHosts {
  readonly #options: ProviderHostOptions;
  readonly #configured = new Map<string, Promise<CallProvider>>();
  readonly #ended: Promise<unknown>[] = [];
  readonly #ending = new AbortController();
  readonly #engine = new Server();
  #engineAddress: Promise<string> | undefined;

  constructor(options: ProviderHostOptions) {
    this.#options = { ...options, signal: AbortSignal.any([options.signal, this.#ending.signal]) };
  }

  configure({ urn, id, name, type, inputs }: Resource): void {
    if (hasUnknown(inputs)) throw new Error(`stand-in engine: unknown inputs of the provider ${name} are not modelled`);
    const settings = Object.entries(mapValues(inputs, withoutSecrets));
    const variables = Object.fromEntries(settings.map(([key, value]) => [`pulumi-nodejs:config:${key}`, value]));
    const configured = this.#start().then(async (call) => {
      await call("Configure", { ...(settings.length > 0 ? { variables } : {}), args: inputs, id, urn, name, type });
      return call;
    });
    configured.catch(() => {});
    this.#configured.set(urn, configured);
  }

  /** Returns the host of a provider, configured by the program, or by the state where the program has not named it. */
  async of(reference: string, state: ReadonlyMap<string, Resource>): Promise<CallProvider> {
    const urn = providerUrn(reference);
    const provider = state.get(urn);
    if (provider !== undefined && !this.#configured.has(urn)) this.configure(provider);
    const host = await this.#configured.get(urn);
    if (host === undefined) throw new Error(`stand-in engine: there is no provider ${urn}`);
    return host;
  }

  /** Ends all hosts, when everything that they have printed is known. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#ended);
    this.#engine.forceShutdown();
  }

  /** Starts the dynamic provider host of the SDK that the program folder has. */
  async #start(): Promise<CallProvider> {
    const { project } = this.#options;
    const { promise: port, resolve, reject } = Promise.withResolvers<string>();
    const print = (line: string) => (/^\d+$/.test(line) ? resolve(line) : this.#options.print(line));
    const names = { PULUMI_PROJECT: project, PULUMI_NODEJS_PROJECT: project, PULUMI_CONFIG: "{}" };
    this.#engineAddress ??= this.#serveLog();
    const args = [await this.#engineAddress];
    const child = startScript({ ...this.#options, print }, "dynamic-provider", args, names);
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`the dynamic provider host ended with ${code}`)));
    this.#ended.push(new Promise((ended) => child.once("close", ended)));
    const provider = new ProviderClient(`127.0.0.1:${await port}`);
    child.once("close", () => provider.client.close());
    return (method, values) =>
      provider.call(method, method === "Configure" ? values : mapValues(values, withoutSecrets));
  }

  /** Shows the warnings of the hosts, as the engine does. Returns its address. */
  #serveLog(): Promise<string> {
    const log = ({ request }: ServerUnaryCall<LogRequest, Empty>, done: sendUnaryData<Empty>) => {
      this.#options.print(`warning: ${request.getMessage()}`);
      done(null, new emptyMessages.Empty());
    };
    this.#engine.addService(engineService.EngineService, { log });
    return bindServer(this.#engine);
  }
}
