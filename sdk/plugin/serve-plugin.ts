import { fstatSync } from "node:fs";
import * as grpc from "@grpc/grpc-js";
import service from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/engine_pb.js";
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { EngineLog } from "../engine/engine-log.ts";
import { type PluginDescription, resourceProvider } from "./resource-provider.ts";

/** As large as the engine's own limit. */
const MAX_MESSAGE_BYTES = 400 << 20;

/**
 * Serves the plugin on a free port of 127.0.0.1 and prints the port as the first line, which the engine waits for. The
 * process ends with its standard input, so that none is left behind by an engine that was killed.
 */
export function servePlugin(description: PluginDescription): void {
  // protobuf makes members by assignment, so a member with this name would be lost before it could be refused.
  Reflect.deleteProperty(Object.prototype, "__proto__");
  // A person who starts the plugin to attach an engine gives no address.
  const [, , engineAddress] = process.argv;
  const server = new grpc.Server({ "grpc.max_receive_message_length": MAX_MESSAGE_BYTES });
  const provider = resourceProvider(description, new EngineLog(() => ({ grpc, service, messages }), engineAddress));
  server.addService(providerService.ResourceProviderService, { ...provider });
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error;
    process.stdout.write(`${port}\n`);
    if (hasPipedInput()) process.stdin.on("end", () => process.exit()).resume();
    // A signal alone would end the process before Node.js writes its compile cache.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit());
    // The engine is busy with the program now, and the first read needs this module. If the import fails, that read says why.
    setImmediate(() => import("../connection/open-client.ts").catch(() => {}));
  });
}

/** Only a pipe or a socket shows that an engine started this process. */
function hasPipedInput(): boolean {
  const input = fstatSync(0);
  return input.isFIFO() || input.isSocket();
}
