import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { killGroup } from "../deployment/run-command.ts";
import { runEnvironment } from "../deployment/run-environment.ts";
import { mapValues, type PropertyMap, type PropertyValue, withoutSecrets } from "./property-value.ts";
import { ProviderClient, type ProviderMethod } from "./provider-client.ts";

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
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onCall: (call: ProviderCall) => void;
}

/** Starts the dynamic provider host of the SDK that the program folder has. */
export async function startProviderHost(options: ProviderHostOptions): Promise<ProviderHost> {
  options.signal.throwIfAborted();
  const fromProgram = createRequire(join(options.directory, "package.json"));
  const script = fromProgram.resolve("@pulumi/pulumi/cmd/dynamic-provider/index.js");
  // The host never connects to the address of the engine that it insists on.
  const child = spawn(options.node, [script, "127.0.0.1:1"], {
    cwd: options.directory,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    env: {
      ...runEnvironment(options.env),
      PULUMI_CONFIG: "{}",
      PULUMI_PROJECT: options.project,
      PULUMI_NODEJS_PROJECT: options.project,
    },
  });
  const kill = () => killGroup(child.pid);
  options.signal.addEventListener("abort", kill, { once: true });
  child.once("exit", () => options.signal.removeEventListener("abort", kill));
  let [stdout, stderr] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
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
  return new ProviderHost(child, new ProviderClient(`127.0.0.1:${port}`), printed, options.onCall);
}

export class ProviderHost {
  readonly #child: ChildProcess;
  readonly #provider: ProviderClient;
  readonly #printed: () => string;
  readonly #onCall: (call: ProviderCall) => void;

  constructor(
    child: ChildProcess,
    provider: ProviderClient,
    printed: () => string,
    onCall: (call: ProviderCall) => void,
  ) {
    this.#child = child;
    this.#provider = provider;
    this.#printed = printed;
    this.#onCall = onCall;
  }

  async call(method: ProviderMethod, values: PropertyMap): Promise<PropertyMap> {
    const request = method === "Configure" ? values : mapValues(values, withoutSecrets);
    try {
      const response = await this.#provider.call(method, request);
      this.#onCall({ method, request, response });
      return response;
    } catch (error) {
      this.#onCall({ method, request, error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  /** Ends the host and returns what it has printed. */
  async stop(): Promise<string> {
    this.#provider.client.close();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const closed = once(this.#child, "close");
      killGroup(this.#child.pid);
      await closed;
    }
    return this.#printed();
  }
}

export function textOf(value: PropertyValue | undefined): string {
  return typeof value === "string" ? value : "";
}
