import { createServer as createTlsServer } from "node:https";
import { connect, createServer } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { failureOf } from "../client/open-client.ts";
import { TLS } from "../client/test-certificate.ts";
import { listen } from "./listen.ts";
import {
  hostOf,
  openClient,
  PROXY_PASSWORD,
  PROXY_USER,
  proxyAddress,
  READ,
  startReadableService,
} from "./proxy-client.ts";
import { startProxyStandIn } from "./proxy-stand-in.ts";

describe("through a proxy", () => {
  it("nothing of a read over https can be seen", async () => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService("https");
    await openClient(service, { HTTPS_PROXY: proxyAddress(proxy.origin, PROXY_PASSWORD) }).get(READ);
    expect(service.requests).toHaveLength(2);
    expect(new Set(proxy.targets)).toEqual(new Set([hostOf(service.baseUrl)]));
    expect(proxy.tunnelled().length).toBeGreaterThan(500);
    for (const text of ["GET", "groups", "publickey", PROXY_USER]) expect(proxy.tunnelled()).not.toContain(text);
  });

  // RFC 9110, section 9.3.6.
  it.each([200, 201, 204, 299])("a read uses a tunnel that it opens with status %i", async (status) => {
    const proxy = await startProxyStandIn("http", status);
    const service = await startReadableService("https");
    await openClient(service, { HTTPS_PROXY: proxy.origin }).get(READ);
    expect(service.requests).toHaveLength(2);
  });

  it.each(["https", "http"] as const)("%s reads use 16 connections at most", async (protocol) => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService(protocol);
    const client = openClient(service, { HTTPS_PROXY: proxy.origin, HTTP_PROXY: proxy.origin });
    await client.get(READ);
    await Promise.all(Array.from({ length: 100 }, () => client.get(READ)));
    expect(proxy.mostConnections()).toBeLessThanOrEqual(16);
    // A challenge for each connection.
    expect(service.requests).toHaveLength(101 + 16);
  });

  it.each([
    ["https://[::1]:8443", "[::1]:8443"],
    ["https://[::1]", "[::1]:443"],
    ["https://service.example", "service.example:443"],
  ])("%s is reached by a tunnel to %s", async (baseUrl, target) => {
    const heads: string[] = [];
    const proxy = createServer((socket) => {
      socket.once("data", (head) => {
        heads.push(String(head));
        socket.end("HTTP/1.1 403 Refused\r\n\r\n");
      });
    });
    const client = openClient({ baseUrl }, { HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}` });
    expect(await failureOf(client)).toMatchObject({ code: "ERR_PROXY" });
    expect(heads.join("")).toContain(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n`);
  });

  it("that speaks TLS itself, a read is made with caCertificate alone", async () => {
    const proxy = await startProxyStandIn("https");
    const address = proxy.origin.replace("127.0.0.1", "localhost");
    const service = await startReadableService("https");
    await openClient(service, { HTTPS_PROXY: address }).get(READ);
    expect(new Set(proxy.targets)).toEqual(new Set([hostOf(service.baseUrl)]));
  });

  it("that speaks TLS itself and forwards requests is checked by its own name", async () => {
    const proxy = await startProxyStandIn("https");
    const address = proxy.origin.replace("127.0.0.1", "localhost");
    // The proxy does not find the service.
    const client = openClient({ baseUrl: "http://service.invalid" }, { HTTP_PROXY: address });
    expect(await failureOf(client)).toMatchObject({ code: "ERR_CONNECTION" });
    expect(proxy.targets).toEqual([expect.stringMatching("^http://service.invalid/")]);
  });

  it("a service whose name ends with a dot is read, and is told its name without it", async () => {
    const names: unknown[] = [];
    const service = createTlsServer({ ...TLS, SNICallback: (name, done) => void done(null, void names.push(name)) });
    service.on("request", (_, response) => response.end('{"logPath":"/l"}'));
    const port = await listen(service);
    const proxy = createServer((client) => {
      client.once("data", () => {
        const tunnel = connect(port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
        client.pipe(tunnel.on("error", () => {})).pipe(client);
      });
    });
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}` };
    const { logPath } = await openClient({ baseUrl: `https://localhost.:${port}` }, environment).get(READ);
    expect([logPath, names]).toEqual(["/l", ["localhost"]]);
  });
});

describe("a proxy's address", () => {
  it.each<readonly [string, "https" | "http", (origin: string) => Readonly<Record<string, string>>, boolean]>([
    ["needs no scheme", "https", (origin) => ({ HTTPS_PROXY: hostOf(origin) }), true],
    ["may have a path, which means nothing", "https", (origin) => ({ HTTPS_PROXY: `${origin}/path` }), true],
    ["may be in lower case", "https", (origin) => ({ https_proxy: origin }), true],
    ["that is empty is none", "https", () => ({ https_proxy: "", HTTPS_PROXY: "", HTTP_PROXY: "" }), false],
    ["is not used for NO_PROXY", "https", (HTTPS_PROXY) => ({ HTTPS_PROXY, NO_PROXY: "example.com,127.0.0.1" }), false],
    ["is not used for no_proxy", "https", (HTTPS_PROXY) => ({ HTTPS_PROXY, no_proxy: "example.com,127.0.0.1" }), false],
    ["for https is not looked at for http", "http", () => ({ HTTPS_PROXY: "http://" }), false],
    ["for http is not looked at for https", "https", () => ({ http_proxy: "http://", HTTP_PROXY: "http://" }), false],
  ])("%s", async (_, protocol, environment, isUsed) => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService(protocol);
    await openClient(service, environment(proxy.origin)).get(READ);
    expect([service.requests.length, proxy.targets]).toEqual([2, isUsed ? [hostOf(service.baseUrl)] : []]);
  });

  it.each([
    ["HTTPS_PROXY", "http://"],
    ["https_proxy", "http://user:secret-0001@:3128"],
    ["HTTPS_PROXY", "http://user:secret-0001#@proxy.example.com:3128"],
    ["HTTPS_PROXY", "http://user:secret-0001%@proxy.example.com:3128"],
    ["HTTPS_PROXY", "http://user%:secret-0001@proxy.example.com:3128"],
    ["HTTPS_PROXY", "http://user%4:1-secret-0001@proxy.example.com:3128"],
    ["HTTPS_PROXY", "http://CORP\\user:secret-0001@proxy.example.com:3128"],
    ["HTTP_PROXY", "socks5://user:secret-0001@proxy.example.com:1080"],
  ])("in %s that can't be one is refused without being quoted: %s", (variable, address) => {
    const scheme = variable.toLowerCase().replace("_proxy", "");
    const open = () => openClient({ baseUrl: `${scheme}://127.0.0.1:1` }, { [variable]: address });
    const message = expect.stringContaining(variable);
    expect(open).toThrow(expect.objectContaining({ code: "ERR_INVALID_SETTINGS", message }));
    expect(open).not.toThrow("secret-0001");
  });
});

const BASIC = Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString("base64");

it.each(["https", "http"])("a proxy of %s gets its password, and no error has it", async (protocol) => {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.once("data", (head) => {
      received.push(String(head));
      socket.end("HTTP/1.1 407 Refused\r\nProxy-Authenticate: Basic\r\n\r\n");
    });
  });
  const address = proxyAddress(`http://127.0.0.1:${await listen(server)}`, PROXY_PASSWORD);
  const client = openClient({ baseUrl: `${protocol}://127.0.0.1:1` }, { [`${protocol.toUpperCase()}_PROXY`]: address });
  const error = await failureOf(client);
  expect(error).toMatchObject({ code: "ERR_PROXY" });
  expect(received).toEqual([expect.stringMatching(new RegExp(`proxy-authorization: Basic ${BASIC}\r`))]);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(BASIC);
});
