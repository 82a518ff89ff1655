import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { expect, it, onTestFinished } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { CA_FILE } from "../client/test-certificate.ts";
import { hostOf, READ, startReadableService } from "../servers/proxy-client.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { startEngineLog, startPlugin, URN } from "./plugin-process.ts";
import { startMonitor } from "./start-monitor.ts";

// What proxies do wrong, and how that is told, is in test/servers/proxy.test.ts.

const installed = usePluginFolder();

/** Reads with a plugin that has a proxy's address in its environment. */
async function read({ baseUrl }: Pick<Service, "baseUrl">, proxy: string) {
  const plugin = await startPlugin(installed.module(), {
    env: { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, https_proxy: proxy, http_proxy: proxy, NO_PROXY: "", no_proxy: "" },
  });
  onTestFinished(() => plugin.stop());
  const keys = { publicKey: "publickey", privateKey: "private-key-0001", caCertificate: CA_FILE };
  await plugin.configure({ baseUrl, ...keys, allowHttp: "true", maxRetries: 0 });
  return plugin.invoke("getAgentLogConfig", { projectId: READ.projectId, agent: READ.agent });
}

it.each([
  ["http", "http"],
  ["https", "http"],
  ["https", "https"],
] as const)("reads an %s service through an %s proxy", async (protocol, ofProxy) => {
  const proxy = await startProxyStandIn(ofProxy);
  const service = await startReadableService(protocol);
  const settings = await read(service, proxy.origin.replace("127.0.0.1", "localhost"));
  expect(settings).toMatchObject({ logPath: "/var/log/agent.log" });
  expect(proxy.targets).not.toEqual([]);
  for (const target of proxy.targets) expect(target).toContain(hostOf(service.baseUrl));
  for (const text of ["GET", "groups", "publickey"]) expect(proxy.tunnelled()).not.toContain(text);
});

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
  const monitor = await startMonitor(async (urn, inputs) => plugin.check(inputs, {}, urn));
  const { projectId, agent } = READ;
  await plugin.check({ projectId, agent, expect: { logPath: "/other" }, whenUnexpected: "warn" });
  const request = new messages.ConstructRequest().setMonitorendpoint(monitor.address);
  await plugin.construct({ projectIds: [projectId], agents: [agent] }, request);
  // The engine does so at the end of a run.
  await plugin.cancel();
  expect(warnings).toEqual([{ urn: URN, message: expect.stringContaining('expected "/other"') }]);
  expect(proxy.targets).toEqual([]);
});
