import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { failureOf } from "../client/open-client.ts";
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

  it.each([
    { protocol: "https", connections: 16 },
    // Each request has its own, while the one before it is being closed.
    { protocol: "http", connections: 32 },
  ] as const)("$protocol reads use $connections connections at most", async ({ protocol, connections }) => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService(protocol);
    const client = openClient(service, { HTTPS_PROXY: proxy.origin, HTTP_PROXY: proxy.origin });
    await client.get(READ);
    await Promise.all(Array.from({ length: 100 }, () => client.get(READ)));
    expect(proxy.mostConnections()).toBeLessThanOrEqual(connections);
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

  it.each(["https", "http"] as const)("a response of %s that is longer than 1 MiB is refused", async (protocol) => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService(protocol);
    service.respondWith({ status: 200, body: JSON.stringify({ logPath: "l".repeat(1_048_576) }) });
    const client = openClient(service, { HTTPS_PROXY: proxy.origin, HTTP_PROXY: proxy.origin });
    const message = expect.stringContaining("longer than 1 MiB");
    expect(await failureOf(client)).toMatchObject({ code: "ERR_INVALID_RESPONSE", message });
  });

  it("a certificate that is not trusted is the service's", async () => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService("https");
    const client = openClient(service, { HTTPS_PROXY: proxy.origin }, { caCertificate: undefined });
    const message = expect.stringContaining(`from ${hostOf(service.baseUrl)}: its certificate comes from an authority`);
    expect(await failureOf(client)).toMatchObject({ code: "ERR_TLS", message });
  });

  it("that speaks TLS itself, a read is made with caCertificate alone", async () => {
    const proxy = await startProxyStandIn("https");
    const address = proxy.origin.replace("127.0.0.1", "localhost");
    const service = await startReadableService("https");
    await openClient(service, { HTTPS_PROXY: address }).get(READ);
    expect(new Set(proxy.targets)).toEqual(new Set([hostOf(service.baseUrl)]));
    const untrusting = openClient(service, { HTTPS_PROXY: address }, { caCertificate: undefined });
    const message = expect.stringContaining(`the proxy ${hostOf(address)} can't be used: its certificate comes from`);
    expect(await failureOf(untrusting)).toMatchObject({ code: "ERR_TLS", message });
  });
});

const FORBIDDEN = { status: 403, body: "<h1>Forbidden</h1>" };
const OF_PROXY = / The proxy \S+ may have answered instead of the service\.$/;

it.each([
  { response: FORBIDDEN, isNamed: true },
  { response: { status: 502 }, isNamed: true },
  { response: { status: 200, body: "<h1>Log in</h1>" }, isNamed: true },
  { response: { status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' }, isNamed: false },
  { response: FORBIDDEN, isNamed: false, environment: { NO_PROXY: "127.0.0.1" } },
  { response: FORBIDDEN, isNamed: false, protocol: "https" as const },
])("a proxy that forwards plain http may have sent $response: $isNamed", async ({ response, isNamed, ...others }) => {
  const { environment = {}, protocol = "http" } = others;
  const { origin } = await startProxyStandIn();
  const service = await startReadableService(protocol);
  service.respondWith(response);
  const error = await failureOf(openClient(service, { HTTP_PROXY: origin, HTTPS_PROXY: origin, ...environment }));
  expect(error).toMatchObject({ status: response.status });
  const named = OF_PROXY.exec(String(error))?.[0];
  expect(named).toBe(isNamed ? ` The proxy ${hostOf(origin)} may have answered instead of the service.` : undefined);
});

it("a proxy that forwards plain http answered no request that nothing responds to", async () => {
  const { origin } = await startProxyStandIn();
  const service = await startReadableService("http");
  service.respondWith("reset");
  expect(String(await failureOf(openClient(service, { HTTP_PROXY: origin })))).not.toMatch(OF_PROXY);
});

describe("a proxy's address", () => {
  it.each<readonly [string, "https" | "http", (origin: string) => Readonly<Record<string, string>>, boolean]>([
    ["needs no scheme", "https", (origin) => ({ HTTPS_PROXY: hostOf(origin) }), true],
    ["may have a path, which means nothing", "https", (origin) => ({ HTTPS_PROXY: `${origin}/path` }), true],
    ["may be in lower case", "https", (origin) => ({ https_proxy: origin }), true],
    ["that is empty is none", "https", () => ({ https_proxy: "", HTTPS_PROXY: "", HTTP_PROXY: "" }), false],
    ["is not used for NO_PROXY", "https", (HTTPS_PROXY) => ({ HTTPS_PROXY, NO_PROXY: "example.com,127.0.0.1" }), false],
    ["is not used for no_proxy", "https", (HTTPS_PROXY) => ({ HTTPS_PROXY, no_proxy: "example.com,127.0.0.1" }), false],
    ["of another kind of service is not looked at", "http", () => ({ HTTPS_PROXY: "http://" }), false],
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
    ["HTTP_PROXY", "socks5://user:secret-0001@proxy.example.com:1080"],
  ])("in %s that can't be one is refused without being quoted: %s", (variable, address) => {
    const open = () => openClient({ baseUrl: "https://127.0.0.1:1" }, { [variable]: address });
    const message = expect.stringContaining(variable);
    expect(open).toThrow(expect.objectContaining({ code: "ERR_INVALID_SETTINGS", message }));
    expect(open).not.toThrow("secret-0001");
  });
});

/** The address of a server that does this with whatever asks it. */
async function startServer(respond: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => void socket.once("data", () => respond(socket)));
  return `http://127.0.0.1:${await listen(server)}`;
}

async function startNothing(): Promise<string> {
  const free = createServer();
  const port = await listen(free);
  free.close();
  await once(free, "close");
  return `http://127.0.0.1:${port}`;
}

const sending = (text: string) => () => startServer((socket) => socket.end(text));
const refusing = (status: number) => sending(`HTTP/1.1 ${status} Refused\r\nProxy-Authenticate: Basic\r\n\r\n`);
const LONG_HEADERS = `HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`;
const BASIC = Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString("base64");

describe.each(["https", "http"])("a proxy that fails is told from an %s service, without its password,", (protocol) => {
  const variable = `${protocol.toUpperCase()}_PROXY`;
  const failures: (readonly [string, () => Promise<string>, string, string])[] = [
    ["where nothing listens", startNothing, "ERR_CONNECTION", `check the port of ${variable}`],
    ["where its host is unknown", async () => "http://proxy.invalid:3128", "ERR_CONNECTION", "its host name"],
  ];
  // A proxy that forwards plain http responds in the place of the service.
  const ofTunnels: typeof failures = [
    ["by status 401", refusing(401), "ERR_PROXY", "HTTPS_PROXY.*\\(status 401\\)"],
    ["by status 403", refusing(403), "ERR_PROXY", "NO_PROXY.*\\(status 403\\)"],
    ["by status 404", refusing(404), "ERR_PROXY", "does not open a tunnel.*\\(status 404\\)"],
    ["by status 407", refusing(407), "ERR_PROXY", "Basic authentication; check those in HTTPS_PROXY.*\\(status 407\\)"],
    ["by status 500", refusing(500), "ERR_CONNECTION", "can't reach the service.*\\(status 500\\)"],
    ["by status 504", refusing(504), "ERR_CONNECTION", "can't reach the service.*\\(status 504\\)"],
    ["where it cuts the connection", () => startServer((socket) => socket.destroy()), "ERR_CONNECTION", "was cut"],
    ["where it does not speak HTTP", sending("SSH-2.0-example\r\n"), "ERR_CONNECTION", "is not HTTP"],
    ["by headers that are too long", sending(LONG_HEADERS), "ERR_INVALID_RESPONSE", "too long; check HTTPS_PROXY"],
    ["where it sends back what it was sent", sending(`${BASIC}\r\n`), "ERR_CONNECTION", "is not HTTP"],
  ];

  it.each(protocol === "https" ? [...failures, ...ofTunnels] : failures)("%s", async (_, start, code, says) => {
    const address = proxyAddress(await start(), PROXY_PASSWORD);
    const client = openClient({ baseUrl: `${protocol}://127.0.0.1:1` }, { HTTPS_PROXY: address, HTTP_PROXY: address });
    const error = await failureOf(client);
    const message = expect.stringMatching(new RegExp(` the proxy ${hostOf(address)} .*${says}`));
    expect(error).toMatchObject({ code, message, temporary: code === "ERR_CONNECTION" });
    const printed = inspect([error, client], { depth: 9, showHidden: true });
    for (const secret of [PROXY_USER, PROXY_PASSWORD, encodeURIComponent(PROXY_PASSWORD), BASIC]) {
      expect(printed).not.toContain(secret);
    }
  });

  it("which it gets", async () => {
    const received: string[] = [];
    const server = createServer((socket) => {
      socket.once("data", (head) => {
        received.push(String(head));
        socket.end("HTTP/1.1 407 Refused\r\nProxy-Authenticate: Basic\r\n\r\n");
      });
    });
    const address = proxyAddress(`http://127.0.0.1:${await listen(server)}`, PROXY_PASSWORD);
    const client = openClient({ baseUrl: `${protocol}://127.0.0.1:1` }, { [variable]: address });
    const error = await failureOf(client);
    expect(error).toMatchObject({ code: "ERR_PROXY" });
    expect(received).toEqual([expect.stringMatching(new RegExp(`proxy-authorization: Basic ${BASIC}\r`))]);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(BASIC);
  });
});
