import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { listen } from "./listen.ts";
import {
  failureOf,
  hostOf,
  openClient,
  PROXY_PASSWORD,
  PROXY_USER,
  proxyAddress,
  READ,
  startReadableService,
} from "./proxy-client.ts";
import { startProxyStandIn } from "./proxy-stand-in.ts";

const NOWHERE = { baseUrl: "https://127.0.0.1:1" };

/** The address of a server that does this with whatever asks it. */
async function startServer(respond: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => void socket.once("data", () => respond(socket)));
  return `http://127.0.0.1:${await listen(server)}`;
}

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
    await Promise.all(Array.from({ length: 200 }, () => client.get(READ)));
    expect(proxy.mostConnections()).toBeLessThanOrEqual(connections);
    // A challenge for each connection.
    expect(service.requests).toHaveLength(201 + 16);
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
    expect(await failureOf(client)).toMatchObject({
      code: "ERR_INVALID_RESPONSE",
      message: expect.stringContaining("longer than 1 MiB"),
    });
  });

  it("a certificate that is not trusted is the service's", async () => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService("https");
    const client = openClient(service, { HTTPS_PROXY: proxy.origin }, { caCertificate: undefined });
    expect(await failureOf(client)).toMatchObject({
      code: "ERR_TLS",
      message: expect.stringContaining(`from ${hostOf(service.baseUrl)}: its certificate comes from an authority`),
    });
  });

  it("that speaks TLS itself, a read is made with caCertificate alone", async () => {
    const proxy = await startProxyStandIn("https");
    const address = proxy.origin.replace("127.0.0.1", "localhost");
    const service = await startReadableService("https");
    await openClient(service, { HTTPS_PROXY: address }).get(READ);
    expect(new Set(proxy.targets)).toEqual(new Set([hostOf(service.baseUrl)]));
    const untrusting = openClient(service, { HTTPS_PROXY: address }, { caCertificate: undefined });
    expect(await failureOf(untrusting)).toMatchObject({
      code: "ERR_TLS",
      message: expect.stringContaining(`the proxy ${hostOf(address)} can't be used: its certificate comes from`),
    });
  });
});

describe("a proxy's address", () => {
  it("needs no scheme", async () => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService("https");
    await openClient(service, { HTTPS_PROXY: hostOf(proxy.origin) }).get(READ);
    expect(new Set(proxy.targets)).toEqual(new Set([hostOf(service.baseUrl)]));
  });

  it("may have a path, which means nothing", async () => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService("https");
    await openClient(service, { HTTPS_PROXY: `${proxy.origin}/path` }).get(READ);
    expect(new Set(proxy.targets)).toEqual(new Set([hostOf(service.baseUrl)]));
  });

  it("that is empty is none", async () => {
    const service = await startReadableService("https");
    await openClient(service, { https_proxy: "", HTTPS_PROXY: "", HTTP_PROXY: "" }).get(READ);
    expect(service.requests).toHaveLength(2);
  });

  it.each(["NO_PROXY", "no_proxy"] as const)("is not used for the hosts of %s", async (variable) => {
    const proxy = await startProxyStandIn();
    const service = await startReadableService("https");
    await openClient(service, { HTTPS_PROXY: proxy.origin, [variable]: "example.com,127.0.0.1" }).get(READ);
    expect([service.requests.length, proxy.targets.length]).toEqual([2, 0]);
  });

  it("of another kind of service is not looked at", async () => {
    const service = await startReadableService("http");
    await openClient(service, { HTTPS_PROXY: "http://" }).get(READ);
    expect(service.requests).toHaveLength(2);
  });

  it.each([
    ["HTTPS_PROXY", "http://"],
    ["https_proxy", "http://user:secret-0001@:3128"],
    ["HTTPS_PROXY", "http://user:secret-0001#@proxy.example.com:3128"],
    ["HTTPS_PROXY", "http://user:secret-0001%@proxy.example.com:3128"],
    ["HTTP_PROXY", "socks5://user:secret-0001@proxy.example.com:1080"],
  ])("in %s that can't be one is refused without being quoted: %s", (variable, address) => {
    const open = () => openClient(NOWHERE, { [variable]: address });
    expect(open).toThrow(
      expect.objectContaining({
        code: "ERR_INVALID_SETTINGS",
        message: expect.stringContaining(variable),
      }),
    );
    expect(open).not.toThrow("secret-0001");
  });
});

describe("a proxy that fails is told from the service", () => {
  /** Fails with this code, and a message that names the proxy and contains this word. */
  async function expectFailure(address: string, code: string, word: string, baseUrl = NOWHERE.baseUrl): Promise<void> {
    const error = await failureOf(openClient({ baseUrl }, { HTTPS_PROXY: address, HTTP_PROXY: address }));
    expect(error).toMatchObject({ code, temporary: code === "ERR_CONNECTION" });
    expect(error).toHaveProperty("message", expect.stringContaining(` the proxy ${hostOf(address)} `));
    expect(error).toHaveProperty("message", expect.stringContaining(word));
  }

  it("where nothing listens", async () => {
    const free = createServer();
    const port = await listen(free);
    free.close();
    await once(free, "close");
    await expectFailure(`http://127.0.0.1:${port}`, "ERR_CONNECTION", "check the port of HTTPS_PROXY");
    await expectFailure(
      `http://127.0.0.1:${port}`,
      "ERR_CONNECTION",
      "check the port of HTTP_PROXY",
      "http://127.0.0.1:1",
    );
  });

  it("where its host name is unknown", async () => {
    await expectFailure("http://proxy.invalid:3128", "ERR_CONNECTION", "its host name");
  });

  it.each([
    [401, "ERR_PROXY", "HTTPS_PROXY"],
    [403, "ERR_PROXY", "NO_PROXY"],
    [404, "ERR_PROXY", "does not open a tunnel"],
    [407, "ERR_PROXY", "Basic authentication; check those in HTTPS_PROXY"],
    [500, "ERR_CONNECTION", "can't reach the service"],
    [504, "ERR_CONNECTION", "can't reach the service"],
  ])("by status %i", async (status, code, word) => {
    const address = await startServer((socket) => socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`));
    await expectFailure(address, code, word);
    await expectFailure(address, code, `(status ${status})`);
  });

  it("where it cuts the connection", async () => {
    await expectFailure(await startServer((socket) => socket.destroy()), "ERR_CONNECTION", "was cut");
  });

  it("where it does not speak HTTP", async () => {
    const address = await startServer((socket) => socket.end("SSH-2.0-example\r\n"));
    await expectFailure(address, "ERR_CONNECTION", "is not HTTP");
  });

  it("and close() does not wait for one that never responds", { timeout: 20_000 }, async () => {
    const address = await startServer(() => {});
    const client = openClient(NOWHERE, { HTTPS_PROXY: address }, { timeoutSeconds: 0.5701 });
    expect(await failureOf(client)).toMatchObject({ code: "ERR_TIMEOUT" });
    await client.close();
  });
});

describe("a proxy's user and password", () => {
  const basic = Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString("base64");
  const secrets = [PROXY_USER, PROXY_PASSWORD, encodeURIComponent(PROXY_PASSWORD), basic];

  it("are sent, and are in nothing that is printed", async () => {
    const received: string[] = [];
    const server = createServer((socket) => {
      socket.once("data", (head) => {
        received.push(String(head));
        socket.end("HTTP/1.1 407 Refused\r\nProxy-Authenticate: Basic\r\n\r\n");
      });
    });
    const address = proxyAddress(`http://127.0.0.1:${await listen(server)}`, PROXY_PASSWORD);
    const printed: string[] = [];
    for (const baseUrl of [NOWHERE.baseUrl, "http://127.0.0.1:1"]) {
      const client = openClient({ baseUrl }, { HTTPS_PROXY: address, HTTP_PROXY: address });
      printed.push(inspect(await failureOf(client), { depth: 9, showHidden: true }));
      printed.push(inspect(client, { depth: 9, showHidden: true }));
    }
    expect(received.map((head) => /proxy-authorization: (.*)\r/.exec(head)?.[1])).toEqual([
      `Basic ${basic}`,
      `Basic ${basic}`,
    ]);
    for (const secret of secrets) expect(printed.join("\n")).not.toContain(secret);
  });

  it.each([
    ["that is not there", () => Promise.resolve("http://127.0.0.1:1")],
    ["that is unknown", () => Promise.resolve("http://proxy.invalid:3128")],
    ["that cuts the connection", () => startServer((socket) => socket.destroy())],
    ["that speaks no HTTP", () => startServer((socket) => socket.end("SSH-2.0-example\r\n"))],
    ["that sends back what it was sent", () => startServer((socket) => socket.end(`${basic}\r\n`))],
  ])("are in no error of a proxy %s", async (_description, start) => {
    const address = proxyAddress(await start(), PROXY_PASSWORD);
    for (const baseUrl of [NOWHERE.baseUrl, "http://127.0.0.1:1"]) {
      const error = await failureOf(openClient({ baseUrl }, { HTTPS_PROXY: address, HTTP_PROXY: address }));
      expect(error).toMatchObject({ code: "ERR_CONNECTION" });
      for (const secret of secrets) expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
    }
  });
});
