import * as grpc from "@grpc/grpc-js";
import service from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/engine_pb.js";
import { expect, it, onTestFinished, vi } from "vitest";
import { EngineLog } from "../../../sdk/engine/engine-log.ts";
import { listen } from "../../plugin/listen.ts";

const modules = { grpc, service, messages };

function printed(): readonly unknown[][] {
  const { calls } = vi.mocked(console.warn).mock;
  vi.mocked(console.warn).mockClear();
  return calls;
}

it("gives an engine 30 s to take a message, and then prints it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const server = new grpc.Server();
  const shown = Promise.withResolvers<void>();
  server.addService(service.EngineService, { log: () => shown.resolve() });
  const log = new EngineLog(() => modules, await listen(server));
  log.show("WARNING", "urn", "A message.");
  await shown.promise;
  await vi.advanceTimersByTimeAsync(29_000);
  expect(printed()).toEqual([]);
  await vi.advanceTimersByTimeAsync(2000);
  await log.flush();
  expect(printed()).toEqual([["A message."]]);
});

it.each([
  { description: "no engine is known", address: undefined, load: () => modules },
  {
    description: "the modules can't be found",
    address: "127.0.0.1:1",
    load: () => {
      throw new Error("Cannot find module '@grpc/grpc-js'");
    },
  },
])("prints a message where $description", async ({ address, load }) => {
  const log = new EngineLog(load, address);
  log.show("WARNING", "", "A message.");
  await log.flush();
  expect(printed()).toEqual([["A message."]]);
});

it("shows progress as a message that lasts as long as the run, and prints none that the engine does not take", async () => {
  const server = new grpc.Server();
  const shown = Promise.withResolvers<object>();
  server.addService(service.EngineService, {
    log: ({ request }: { request: InstanceType<typeof messages.LogRequest> }) => shown.resolve(request.toObject()),
  });
  new EngineLog(() => modules, await listen(server)).showProgress("1/2 read");
  const severity = messages.LogSeverity.INFO;
  expect(await shown.promise).toMatchObject({ urn: "", message: "1/2 read", severity, ephemeral: true });
  const log = new EngineLog(() => modules, undefined);
  log.showProgress("1/2 read");
  await log.flush();
  expect(printed()).toEqual([]);
});
