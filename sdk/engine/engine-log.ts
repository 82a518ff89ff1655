import type engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type engineMessages from "@pulumi/pulumi/proto/engine_pb.js";

/** The modules by which a process speaks with the engine. */
export interface EngineModules {
  readonly grpc: Pick<typeof import("@grpc/grpc-js"), "credentials" | "Metadata">;
  readonly service: typeof engineService;
  readonly messages: typeof engineMessages;
}

/** How long an engine under load may take to show a message, in milliseconds. */
const PATIENCE_MILLISECONDS = 30_000;

/** Shows messages to the user through the engine that started this process, or attached to it. */
export class EngineLog {
  readonly #load: () => EngineModules;
  #address: string | undefined;
  #client: InstanceType<typeof engineService.EngineClient> | undefined;
  #deliveries: Promise<unknown> = Promise.resolve();

  /** @param load is called when there is something to show, because most processes show nothing */
  constructor(load: () => EngineModules, address: string | undefined) {
    this.#load = load;
    this.#address = address;
  }

  /** Shows later messages through the engine at another address. */
  attach(address: string): void {
    this.#client?.close();
    this.#client = undefined;
    this.#address = address;
  }

  /**
   * Shows a warning or an error beside the resource or the provider of this URN, and without one beside the stack. An error
   * alone does not fail the run. If no engine shows it, it is printed.
   */
  show(severity: "WARNING" | "ERROR", urn: string, message: string): void {
    const delivery = this.#send(severity, urn, message).catch(() => console.warn(message));
    this.#deliveries = Promise.all([this.#deliveries, delivery]);
  }

  /** Shows beside the stack how far the run is. The engine shows it only as long as the run lasts. */
  showProgress(message: string): void {
    this.#send("INFO", "", message, true).catch(() => {});
  }

  /** Waits until the engine has all messages, because it ends this process after the last response. */
  async flush(): Promise<void> {
    await this.#deliveries;
  }

  /** @throws Error without an engine or its modules, and if the engine does not take the message in time */
  async #send(
    severity: "INFO" | "WARNING" | "ERROR",
    urn: string,
    message: string,
    isEphemeral = false,
  ): Promise<void> {
    if (this.#address === undefined) throw new Error("No engine is known.");
    const { grpc, service, messages } = this.#load();
    this.#client ??= new service.EngineClient(this.#address, ...engineChannel(grpc));
    const client = this.#client;
    const request = new messages.LogRequest()
      .setSeverity(messages.LogSeverity[severity])
      .setUrn(urn)
      .setEphemeral(isEphemeral);
    await new Promise<void>((resolve, reject) => {
      const deadline = Date.now() + PATIENCE_MILLISECONDS;
      client.log(request.setMessage(message), new grpc.Metadata(), { deadline }, (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  }
}

/** Returns how to connect to the engine on the same machine: without the proxies of the environment, which grpc-js would use. */
function engineChannel(grpc: Pick<EngineModules["grpc"], "credentials">) {
  return [grpc.credentials.createInsecure(), { "grpc.enable_http_proxy": 0 }] as const;
}
