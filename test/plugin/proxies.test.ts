import { expect, it, onTestFinished } from "vitest";
import { READ, startReadableService } from "../servers/proxy-client.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { startEngineLog, startPlugin, URN } from "./plugin-process.ts";

// Reads through proxies, and what these do wrong, are in test/client/proxy-errors.test.ts and test/servers/proxy.test.ts.

const installed = usePluginFolder();

// grpc-js takes these variables for addresses of this machine, too.
it.each(["https_proxy", "grpc_proxy"])("speaks with the engine past the proxy in %s", async (variable) => {
  const proxy = await startProxyStandIn();
  const service = await startReadableService("http");
  const { address, warnings } = await startEngineLog();
  const env = { [variable]: proxy.origin, NO_PROXY: "", no_proxy: "", no_grpc_proxy: "" };
  const plugin = await startPlugin(installed.module(), { env, engine: address });
  onTestFinished(() => plugin.stop());
  const keys = { publicKey: "publickey", privateKey: "private-key-0001" };
  await plugin.configure({ baseUrl: service.baseUrl, ...keys, allowHttp: "true", maxRetries: 0 });
  const { projectId, agent } = READ;
  await plugin.check({ projectId, agent, expect: { logPath: "/other" }, whenUnexpected: "warn" });
  // The engine does so at the end of a run.
  await plugin.cancel();
  expect(warnings).toEqual([{ urn: URN, message: expect.stringContaining('expected "/other"') }]);
  expect(proxy.targets).toEqual([]);
});
