import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import type {
  CheckResponse,
  CreateResponse,
  DiffResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { killGroup } from "../deployment/run-command.ts";
import { runEnvironment } from "../deployment/run-environment.ts";
import { mapValues, type PropertyMap, type PropertyValue, parseProperties, withoutSecrets } from "./property-value.ts";
import { grpc, maxMessageBytes, providerMessages, ResourceProviderClient, Struct } from "./sdk.ts";

/** The calls that carry what a package's own provider is asked. */
export type ProviderMethod = "Configure" | "Check" | "Diff" | "Create" | "Update" | "Read" | "Delete";

export interface ProviderCall {
  readonly method: ProviderMethod;
  readonly request: PropertyMap;
  readonly response?: PropertyMap;
  readonly error?: string;
}

export interface ProviderHostOptions {
  readonly directory: string;
  readonly node: string;
  readonly project: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly onCall?: (call: ProviderCall) => void;
}

/**
 * Starts the dynamic provider host of the SDK that the program folder has. Requests and responses have the form that
 * they have in a recording of the real engine.
 */
export async function startProviderHost(options: ProviderHostOptions): Promise<ProviderHost> {
  options.signal?.throwIfAborted();
  const fromProgram = createRequire(join(options.directory, "package.json"));
  const script = fromProgram.resolve("@pulumi/pulumi/cmd/dynamic-provider/index.js");
  // The host never connects to the address of the engine that it insists on.
  const child = spawn(options.node, [script, "127.0.0.1:1"], {
    cwd: options.directory,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    env: {
      ...runEnvironment(options.env ?? {}),
      PULUMI_CONFIG: "{}",
      PULUMI_PROJECT: options.project,
      PULUMI_NODEJS_PROJECT: options.project,
    },
  });
  const kill = () => killGroup(child.pid);
  options.signal?.addEventListener("abort", kill, { once: true });
  child.once("exit", () => options.signal?.removeEventListener("abort", kill));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  let stdout = "";
  const port = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`the dynamic provider host ended with ${code}: ${stderr}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const line = /^(\d+)\r?\n/.exec(stdout)?.[1];
      if (line !== undefined) resolve(line);
    });
  });
  const printed = () => stdout.replace(/^\d+\r?\n/, "") + stderr;
  return new ProviderHost(child, `127.0.0.1:${port}`, printed, options.onCall);
}

export class ProviderHost {
  readonly #child: ChildProcess;
  readonly #client: InstanceType<typeof ResourceProviderClient>;
  readonly #printed: () => string;
  readonly #onCall: ((call: ProviderCall) => void) | undefined;

  constructor(
    child: ChildProcess,
    address: string,
    printed: () => string,
    onCall: ((call: ProviderCall) => void) | undefined,
  ) {
    this.#child = child;
    this.#client = new ResourceProviderClient(address, grpc.credentials.createInsecure(), maxMessageBytes);
    this.#printed = printed;
    this.#onCall = onCall;
  }

  async call(method: ProviderMethod, values: PropertyMap): Promise<PropertyMap> {
    const request = method === "Configure" ? values : mapValues(values, withoutSecrets);
    try {
      const response = withoutEmpty(await this.#send(method, request));
      this.#onCall?.({ method, request, response });
      return response;
    } catch (error) {
      const details = error instanceof Error && "details" in error ? String(error.details) : String(error);
      this.#onCall?.({ method, request, error: details });
      throw new Error(details);
    }
  }

  /** Ends the host and returns what it has printed. */
  async stop(): Promise<string> {
    this.#client.close();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const closed = once(this.#child, "close");
      killGroup(this.#child.pid);
      await closed;
    }
    return this.#printed();
  }

  async #send(method: ProviderMethod, request: PropertyMap): Promise<Record<string, unknown>> {
    const client = this.#client;
    const text = (key: string) => String(request[key] ?? "");
    const struct = (key: string) => Struct.fromJavaScript(parseProperties(request[key]));
    const identified = <Message extends Identified>(message: Message): Message => {
      message.setUrn(text("urn"));
      message.setName(text("name"));
      message.setType(text("type"));
      return message;
    };
    const ignoreChanges = () => (Array.isArray(request["ignoreChanges"]) ? request["ignoreChanges"].map(String) : []);
    switch (method) {
      case "Configure": {
        const message = identified(new providerMessages.ConfigureRequest()).setArgs(struct("args")).setId(text("id"));
        message.setAcceptsecrets(true).setAcceptresources(true);
        message.setSendsOldInputs(true).setSendsOldInputsToDelete(true);
        for (const [key, value] of Object.entries(parseProperties(request["variables"]))) {
          message.getVariablesMap().set(key, String(value));
        }
        await answerOf<unknown>((done) => client.configure(message, done));
        return {};
      }
      case "Check": {
        const message = identified(new providerMessages.CheckRequest()).setOlds(struct("olds")).setNews(struct("news"));
        const answer = await answerOf<CheckResponse>((done) => client.check(message, done));
        const failures = answer.getFailuresList().map((failure) => withoutEmpty(failure.toObject()));
        return { inputs: answer.getInputs()?.toJavaScript(), failures };
      }
      case "Diff": {
        const message = identified(new providerMessages.DiffRequest()).setId(text("id")).setOlds(struct("olds"));
        message.setNews(struct("news")).setOldInputs(struct("oldInputs")).setIgnorechangesList(ignoreChanges());
        const answer = await answerOf<DiffResponse>((done) => client.diff(message, done));
        const changes = ["", "DIFF_NONE", "DIFF_SOME"][answer.getChanges()];
        return { changes, replaces: answer.getReplacesList(), deleteBeforeReplace: answer.getDeletebeforereplace() };
      }
      case "Create": {
        const message = identified(new providerMessages.CreateRequest()).setProperties(struct("properties"));
        const answer = await answerOf<CreateResponse>((done) => client.create(message, done));
        return { id: answer.getId(), properties: answer.getProperties()?.toJavaScript() };
      }
      case "Update": {
        const message = identified(new providerMessages.UpdateRequest()).setId(text("id")).setOlds(struct("olds"));
        message.setNews(struct("news")).setOldInputs(struct("oldInputs")).setIgnorechangesList(ignoreChanges());
        const answer = await answerOf<UpdateResponse>((done) => client.update(message, done));
        return { properties: answer.getProperties()?.toJavaScript() };
      }
      case "Read": {
        const message = identified(new providerMessages.ReadRequest()).setId(text("id"));
        message.setProperties(struct("properties")).setInputs(struct("inputs"));
        const answer = await answerOf<ReadResponse>((done) => client.read(message, done));
        return {
          id: answer.getId(),
          properties: answer.getProperties()?.toJavaScript(),
          inputs: answer.getInputs()?.toJavaScript(),
        };
      }
      case "Delete": {
        const message = identified(new providerMessages.DeleteRequest()).setId(text("id"));
        message.setProperties(struct("properties")).setOldInputs(struct("oldInputs"));
        await answerOf<unknown>((done) => client.delete(message, done));
        return {};
      }
    }
  }
}

interface Identified {
  setUrn(urn: string): unknown;
  setName(name: string): unknown;
  setType(type: string): unknown;
}

function answerOf<Answer>(send: (done: (error: Error | null, answer: Answer) => void) => unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    send((error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

/** A recording leaves out what is empty. */
function withoutEmpty(message: Record<string, unknown> | object): PropertyMap {
  const isFull = ([, value]: [string, unknown]) =>
    value !== undefined && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);
  return parseProperties(Object.fromEntries(Object.entries(message).filter(isFull)));
}

export function textOf(value: PropertyValue | undefined): string {
  return typeof value === "string" ? value : "";
}
