import { createServer } from "node:net";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { expect, it, onTestFinished } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { CA_FILE } from "../client/test-certificate.ts";
import { listen } from "../servers/listen.ts";
import {
  hostOf,
  PROXY_PASSWORD,
  PROXY_USER,
  proxyAddress,
  READ,
  startReadableService,
} from "../servers/proxy-client.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { startEngineLog, startPlugin, URN } from "./plugin-process.ts";
import { startMonitor } from "./start-monitor.ts";

// The bundle has undici in parts, so that it may lack one that a proxy needs.

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

it("reads an http service through a proxy", async () => {
  const proxy = await startProxyStandIn();
  const service = await startReadableService("http");
  const settings = await read(service, proxy.origin);
  expect(settings).toMatchObject({ logPath: "/var/log/agent.log" });
  expect(proxy.targets.map(hostOf)).toEqual([hostOf(service.baseUrl), hostOf(service.baseUrl)]);
});

it.each(["http", "https"] as const)("reads an https service through a tunnel of an %s proxy", async (protocol) => {
  const proxy = await startProxyStandIn(protocol);
  const service = await startReadableService("https");
  const address = proxy.origin.replace("127.0.0.1", "localhost");
  expect(await read(service, address)).toMatchObject({ logPath: "/var/log/agent.log" });
  expect(new Set(proxy.targets)).toEqual(new Set([hostOf(service.baseUrl)]));
  for (const text of ["GET", "groups", "publickey"]) expect(proxy.tunnelled()).not.toContain(text);
});

it.each(["http", "https"])("tells a proxy that refuses from an %s service, and not its password", async (protocol) => {
  const server = createServer((socket) => {
    socket.once("data", () => socket.end("HTTP/1.1 407 Refused\r\nProxy-Authenticate: Basic\r\n\r\n"));
  });
  const address = proxyAddress(`http://127.0.0.1:${await listen(server)}`, PROXY_PASSWORD);
  const message = await read({ baseUrl: `${protocol}://127.0.0.1:1` }, address).catch((error: Error) => error.message);
  expect(message).toMatch(/ the proxy (\S+ )?requires another user or password .*\(status 407\).*#err_proxy/);
  for (const secret of [PROXY_USER, encodeURIComponent(PROXY_PASSWORD)]) expect(message).not.toContain(secret);
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
