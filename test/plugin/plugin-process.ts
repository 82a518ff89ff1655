import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Server } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engineMessages, { type LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import pluginMessages, { type PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import messages, {
  type CheckResponse,
  type ConfigureResponse,
  type GetSchemaResponse,
  type InvokeResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import emptyMessages from "google-protobuf/google/protobuf/empty_pb.js";
import { onTestFinished } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { runEnvironment } from "../deployment/run-environment.ts";
import { type PropertyMap, parseProperties, secret } from "../stand-in-engine/property-value.ts";
import { answerOf, ProviderClient, structOf } from "../stand-in-engine/provider-client.ts";
import { listen } from "./listen.ts";

/** The URNs that resources and fleets have in these tests. */
export const URN = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfig::monitoring";
export const FLEET_URN = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::fleet";

const PROVIDER_URN = "urn:pulumi:dev::p::pulumi:providers:agent-log-config::default_0_1_0";

/** The configuration with which the engine configures the plugin for a service. */
export function configurationFor(service: Service, changed: PropertyMap = {}): PropertyMap {
  return {
    baseUrl: service.baseUrl,
    publicKey: "publickey",
    privateKey: secret("private-key-0001"),
    allowHttp: "true",
    maxRetries: 0,
    ...changed,
  };
}

/** A warning or an error that the plugin has shown through the engine. */
interface Shown {
  readonly urn: string;
  readonly message: string;
}

/** Starts what the plugin needs of an engine: the service that shows messages. It ends with the test. */
export async function startEngineLog() {
  const [warnings, errors]: [Shown[], Shown[]] = [[], []];
  const server = new Server();
  server.addService(engineService.EngineService, {
    log: ({ request }: { request: LogRequest }, respond: (error: null, response: object) => void) => {
      const shown = request.getSeverity() === engineMessages.LogSeverity.ERROR ? errors : warnings;
      shown.push({ urn: request.getUrn(), message: request.getMessage() });
      respond(null, new emptyMessages.Empty());
    },
  });
  return { address: await listen(server), warnings, errors };
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The address that the engine gives to a plugin that it starts. */
  readonly engine?: string;
}

/** Starts the plugin as the engine does. */
export async function startPlugin(file: string, { env = {}, engine }: StartOptions = {}): Promise<PluginProcess> {
  const args = [file, ...(engine === undefined ? [] : [engine])];
  const child = spawn(process.execPath, args, { env: runEnvironment(env), stdio: "pipe" });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.once("close", (code) => reject(new Error(`the plugin ended with ${code}: ${printed}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const line = /^(\d+)\n/.exec(printed)?.[1];
      if (line !== undefined) resolve(line);
    });
  });
  return new PluginProcess(child, port, () => printed);
}

/** Starts a plugin that ends with the test. */
export async function startForTest(file: string, options?: StartOptions): Promise<PluginProcess> {
  const plugin = await startPlugin(file, options);
  onTestFinished(() => plugin.stop());
  return plugin;
}

/** A running plugin, and the engine's calls with plain values in the place of messages. */
export class PluginProcess extends ProviderClient {
  readonly #child: ChildProcess;
  /** The port that the plugin has printed. */
  readonly port: string;
  /** Returns everything that the plugin has printed. */
  readonly printed: () => string;

  constructor(child: ChildProcess, port: string, printed: () => string) {
    super(`127.0.0.1:${port}`);
    this.#child = child;
    this.port = port;
    this.printed = printed;
  }

  async version(): Promise<string> {
    const info = await answerOf<PluginInfo>((done) => this.client.getPluginInfo(new emptyMessages.Empty(), done));
    return info.getVersion();
  }

  async schema(): Promise<string> {
    const request = new messages.GetSchemaRequest();
    const response = await answerOf<GetSchemaResponse>((done) => this.client.getSchema(request, done));
    return response.getSchema();
  }

  async checkConfig(news: PropertyMap): Promise<PropertyMap> {
    const request = new messages.CheckRequest().setUrn(PROVIDER_URN).setNews(structOf(news));
    const response = await answerOf<CheckResponse>((done) => this.client.checkConfig(request, done));
    return parseProperties(response.getInputs()?.toJavaScript());
  }

  /** @param urn of the provider; an explicit one has a name of its own */
  async configure(args: PropertyMap, urn = PROVIDER_URN): Promise<ConfigureResponse> {
    const request = new messages.ConfigureRequest().setArgs(structOf(args)).setUrn(urn).setAcceptsecrets(true);
    return answerOf<ConfigureResponse>((done) => this.client.configure(request, done));
  }

  /** Returns the inputs that are to be recorded. */
  async check(news: PropertyMap, olds: PropertyMap = {}, urn = URN): Promise<PropertyMap> {
    return parseProperties((await this.call("Check", { urn, news, olds }))["inputs"]);
  }

  async invoke(name: string, args: PropertyMap): Promise<PropertyMap> {
    const request = new messages.InvokeRequest().setTok(`agent-log-config:index:${name}`).setArgs(structOf(args));
    const response = await answerOf<InvokeResponse>((done) => this.client.invoke(request, done));
    return parseProperties(response.getReturn()?.toJavaScript());
  }

  async cancel(): Promise<void> {
    await answerOf((done) => this.client.cancel(new emptyMessages.Empty(), done));
  }

  async attach(address: string): Promise<void> {
    await answerOf((done) => this.client.attach(new pluginMessages.PluginAttach().setAddress(address), done));
  }

  /** Closes the plugin's standard input, as the end of the engine does, and waits for the end of the plugin. */
  async endInput(): Promise<number | null> {
    const exited = once(this.#child, "exit");
    this.#child.stdin?.end();
    const [code] = await exited;
    return code;
  }

  async stop(): Promise<void> {
    this.client.close();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, "exit");
      this.#child.kill("SIGKILL");
      await exited;
    }
  }
}
