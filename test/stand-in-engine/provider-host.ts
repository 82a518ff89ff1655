import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { killGroup } from "../deployment/run-command.ts";
import { mapValues, type PropertyMap, withoutSecrets } from "./property-value.ts";
import { ProviderClient, type ProviderMethod } from "./provider-client.ts";
import { type RunProcess, startScript } from "./run-process.ts";

export interface ProviderCall {
  readonly method: ProviderMethod;
  readonly request: PropertyMap;
  readonly response?: PropertyMap;
  readonly error?: string;
}

export interface ProviderHostOptions extends RunProcess {
  readonly project: string;
  readonly onCall: (call: ProviderCall) => void;
}

/** Starts the dynamic provider host of the SDK that the program folder has. */
export async function startProviderHost(options: ProviderHostOptions): Promise<ProviderHost> {
  const names = { PULUMI_PROJECT: options.project, PULUMI_NODEJS_PROJECT: options.project };
  // The host never connects to the address of the engine that it insists on.
  const child = startScript(options, "dynamic-provider", ["127.0.0.1:1"], { PULUMI_CONFIG: "{}", ...names });
  let [stdout, stderr] = ["", ""];
  child.stderr.on("data", (text: string) => {
    stderr += text;
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`the dynamic provider host ended with ${code}: ${stderr}`)));
    child.stdout.on("data", (text: string) => {
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
