import { once } from "node:events";
import { killGroup } from "../deployment/run-command.ts";
import { mapValues, type PropertyMap, withoutSecrets } from "./property-value.ts";
import { ProviderClient, type ProviderMethod } from "./provider-client.ts";
import { type RunProcess, startScript } from "./run-process.ts";

export interface ProviderHostOptions extends RunProcess {
  readonly project: string;
  readonly onCall: (method: ProviderMethod, request: PropertyMap, response?: PropertyMap, error?: string) => void;
}

export interface ProviderHost {
  call(method: ProviderMethod, values: PropertyMap): Promise<PropertyMap>;
  /** Ends the host and returns what it has printed. */
  stop(): Promise<string>;
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
  const provider = new ProviderClient(`127.0.0.1:${port}`);
  return {
    call: async (method, values) => {
      const request = method === "Configure" ? values : mapValues(values, withoutSecrets);
      try {
        const response = await provider.call(method, request);
        options.onCall(method, request, response);
        return response;
      } catch (error) {
        options.onCall(method, request, undefined, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    stop: async () => {
      provider.client.close();
      if (child.exitCode === null && child.signalCode === null) {
        const closed = once(child, "close");
        killGroup(child.pid);
        await closed;
      }
      return stdout.replace(/^\d+\r?\n/, "") + stderr;
    },
  };
}
