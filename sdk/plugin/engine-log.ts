import { Metadata } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engineMessages from "@pulumi/pulumi/proto/engine_pb.js";
import { ENGINE_CHANNEL } from "./engine-channel.ts";

/** How long an engine may take to show a message, in milliseconds. */
const PATIENCE_MILLISECONDS = 2000;

/** Shows messages to the user through the engine that started this process, or attached to it. */
export class EngineLog {
  #address: string | undefined;
  #client: InstanceType<typeof engineService.EngineClient> | undefined;
  readonly #sending = new Set<Promise<void>>();

  /** @param address host and port of the engine; undefined where no engine is known yet */
  constructor(address: string | undefined) {
    this.#address = address;
  }

  /** Shows later messages through the engine at another address. */
  attach(address: string): void {
    this.#client?.close();
    this.#client = undefined;
    this.#address = address;
  }

  /** Shows a warning or an error beside the resource or the provider of this URN. An error alone does not fail the run. */
  show(severity: "WARNING" | "ERROR", urn: string, message: string): void {
    if (this.#address === undefined) return;
    // Most processes show nothing, and do not pay for a connection.
    this.#client ??= new engineService.EngineClient(this.#address, ...ENGINE_CHANNEL);
    const client = this.#client;
    const request = new engineMessages.LogRequest().setSeverity(engineMessages.LogSeverity[severity]);
    request.setUrn(urn).setMessage(message);
    // A message that can't be shown must not fail what it is about.
    const sent = new Promise<void>((resolve) =>
      client.log(request, new Metadata(), { deadline: Date.now() + PATIENCE_MILLISECONDS }, () => resolve()),
    );
    this.#sending.add(sent);
    sent.then(() => this.#sending.delete(sent));
  }

  /** Waits until the engine has all messages, because it ends this process after the last response. */
  async flush(): Promise<void> {
    await Promise.all(this.#sending);
  }
}
