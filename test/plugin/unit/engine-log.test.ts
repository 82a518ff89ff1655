import { Server } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { expect, it } from "vitest";
import { EngineLog } from "../../../sdk/plugin/engine-log.ts";
import { listen } from "../listen.ts";

it("does not wait for an engine that never shows a message", async () => {
  const server = new Server();
  const shown = Promise.withResolvers<void>();
  server.addService(engineService.EngineService, { log: () => shown.resolve() });
  const log = new EngineLog(await listen(server));
  log.show("WARNING", "urn", "A message.");
  await shown.promise;
  await expect(log.flush()).resolves.toBeUndefined();
}, 10_000);
