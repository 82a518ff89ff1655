import diagnosticsChannel from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createPlainServer } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { AgentLogConfigClient } from "../../sdk/client/index.ts";
import { type Findings, observeConnections } from "../../sdk/command/observe-connections.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { listen } from "../servers/listen.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { forgetSubscriptions } from "./forget-subscriptions.ts";

const READ = { projectId: "0123456789abcdef01234567", agent: "monitoring" } as const;
const PORT = expect.stringMatching(/^127\.0\.0\.1 port \d+$/);
const CERTIFICATE = "TLSv1.3, certificate of localhost from Test authority, valid until Oct 28 05:50:39 2126 GMT";
const CHALLENGE = 'Digest, realm "Example Public API"';

async function start(tls?: typeof TLS): Promise<Service> {
  const service = await startService({ tls });
  onTestFinished(() => service.close());
  service.set(READ.projectId, "monitoring", { logPath: "/l" });
  return service;
}

/** What is seen of one read, and the code that it fails with. */
async function observe(
  baseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  trusted: { readonly caCertificate?: string } = { caCertificate: CA_FILE },
): Promise<{ seen: Findings; code: unknown }> {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"]) {
    vi.stubEnv(name, environment[name]);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const keys = { publicKey: "publickey", privateKey: "private-key-0001" };
  const client = new AgentLogConfigClient({ baseUrl, ...keys, ...trusted, allowHttp: true, maxRetries: 0 });
  onTestFinished(() => client.close());
  const seen: Findings = {};
  forgetSubscriptions();
  observeConnections(new URL(baseUrl), seen);
  const code = await client.get(READ).then(
    () => undefined,
    (error) => error.code,
  );
  return { seen, code };
}

function named(url: string): string {
  return url.replace("127.0.0.1", "localhost");
}

it("of plain http are the address and the challenge", async () => {
  const { baseUrl } = await start();
  expect(await observe(baseUrl)).toEqual({
    seen: { name: "127.0.0.1", connection: PORT, isPlain: true, challenge: CHALLENGE },
    code: undefined,
  });
});

it("of https are the name and the certificate too", async () => {
  const { baseUrl } = await start(TLS);
  expect(await observe(named(baseUrl))).toEqual({
    seen: { name: "localhost", connection: PORT, isPlain: false, TLS: CERTIFICATE, challenge: CHALLENGE },
    code: undefined,
  });
});

it("are no challenge where no credentials were sent", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "www-authenticate": 'Digest realm="r", nonce="n"' }).end("{}");
  });
  const { seen, code } = await observe(`http://127.0.0.1:${await listen(server)}`);
  expect(seen).toEqual({ name: "127.0.0.1", connection: PORT, isPlain: true });
  expect(code).toBeUndefined();
});

it("stay what they are once a connection is open", async () => {
  const { baseUrl } = await start();
  const { seen } = await observe(named(baseUrl));
  const announced = diagnosticsChannel.channel("undici:client:beforeConnect");
  announced.publish({ connectParams: { host: "other.example.com:1", hostname: "other.example.com" } });
  expect(seen).toMatchObject({ name: "localhost", connection: PORT });
});

it("are no name where it is unknown", async () => {
  expect(await observe("https://service.invalid")).toEqual({ seen: {}, code: "ERR_CONNECTION" });
});

it.each(["127.0.0.1", "localhost"])("are the name alone where nothing listens at %s", async (host) => {
  const free = createPlainServer();
  const port = await listen(free);
  free.close();
  await once(free, "close");
  expect(await observe(`https://${host}:${port}`)).toEqual({ seen: { name: host }, code: "ERR_CONNECTION" });
});

it("are no certificate where it is not trusted", async () => {
  const { baseUrl } = await start(TLS);
  expect(await observe(baseUrl, {}, {})).toEqual({ seen: { name: "127.0.0.1", connection: PORT }, code: "ERR_TLS" });
});

it.each(["http", "https"] as const)("through a tunnel of an %s proxy are the service's own TLS", async (protocol) => {
  const proxy = await startProxyStandIn(protocol);
  const { baseUrl } = await start(TLS);
  expect(await observe(baseUrl, { HTTPS_PROXY: named(proxy.origin) })).toEqual({
    seen: { name: "localhost, a proxy", connection: PORT, isPlain: false, TLS: CERTIFICATE, challenge: CHALLENGE },
    code: undefined,
  });
});

it("through an https proxy are no TLS where the service speaks plain http", async () => {
  const proxy = await startProxyStandIn("https");
  const { baseUrl } = await start();
  expect(await observe(baseUrl, { HTTP_PROXY: named(proxy.origin) })).toEqual({
    seen: { name: "localhost, a proxy", connection: PORT, isPlain: true, challenge: CHALLENGE },
    code: undefined,
  });
});

it("of a proxy that opens no tunnel are no connection", async () => {
  const { baseUrl } = await start(TLS);
  const proxy = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  const HTTPS_PROXY = `http://localhost:${await listen(proxy)}`;
  expect(await observe(baseUrl, { HTTPS_PROXY })).toEqual({
    seen: { name: "localhost, a proxy", isPlain: false },
    code: "ERR_CONNECTION",
  });
});

it("of a proxy whose name is unknown are nothing, although the service has an address", async () => {
  const { baseUrl } = await start(TLS);
  expect(await observe(baseUrl, { HTTPS_PROXY: "http://proxy.invalid:3128" })).toEqual({
    seen: {},
    code: "ERR_CONNECTION",
  });
});
