import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AgentLogConfigClient } from "../../sdk/client/index.ts";
import { type Fault, type Service, type ServiceOptions, startService } from "../../sdk/testing/index.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { readBytes, readTarget } from "./read-bytes.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const KEYS = { publicKey: "publickey", privateKey: "private-key-0001" };
const BACKUP = { projectId: PROJECT_ID, agent: "backup" } as const;

async function open(options: ServiceOptions = {}): Promise<{ service: Service; client: AgentLogConfigClient }> {
  const service = await startService(options);
  onTestFinished(() => service.close());
  const others = { allowHttp: true, maxRetries: 0, caCertificate: CA_FILE };
  const client = new AgentLogConfigClient({ baseUrl: service.baseUrl, ...KEYS, ...others });
  onTestFinished(() => client.close());
  return { service, client };
}

function statuses({ requests }: Service): readonly number[] {
  return requests.map(({ status }) => status);
}

describe("startService", () => {
  it("challenges as the service does", async () => {
    const { service } = await open();
    const response = await fetch(`${service.baseUrl}/groups/${PROJECT_ID}/automationConfig/backupAgentConfig`);
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toBe("application/json;charset=ISO-8859-1");
    expect(response.headers.get("www-authenticate")).toMatch(
      /^Digest realm="Example Public API", domain="", nonce="[A-Za-z0-9+/]{32}", algorithm=MD5, op="auth", stale=false$/,
    );
  });

  it.each([
    { description: "no project", set: undefined, outcome: { code: "ERR_PROJECT_NOT_FOUND" } },
    { description: "the other agent alone", set: "monitoring", outcome: { logPath: undefined } },
    { description: "the agent", set: "backup", outcome: { logPath: "/l" } },
  ] as const)("responds where it knows $description", async ({ set, outcome }) => {
    const { service, client } = await open();
    if (set !== undefined) service.set(PROJECT_ID, set, { logPath: "/l" });
    const read = await client.get(BACKUP).catch((error: unknown) => error);
    expect(read).toMatchObject(outcome);
  });

  it("starts with the settings that it is given, until they are removed", async () => {
    const { service, client } = await open({ settings: { [PROJECT_ID]: { backup: { logPath: "/l" } } } });
    expect(await client.get(BACKUP)).toMatchObject({ logPath: "/l" });
    service.set(PROJECT_ID, "backup", undefined);
    await expect(client.get(BACKUP)).rejects.toMatchObject({ code: "ERR_PROJECT_NOT_FOUND" });
  });

  it("keeps every request, refused ones included", async () => {
    const { service, client } = await open({ settings: { [PROJECT_ID]: {} } });
    await client.get({ ...BACKUP, pretty: true });
    expect(service.requests.map(({ method, status }) => `${method} ${status}`)).toEqual(["GET 401", "GET 200"]);
    expect(service.requests[1]?.target).toMatch(/backupAgentConfig\?pretty=true$/);
  });

  it("refuses another key from the moment it is rotated", async () => {
    const { service, client } = await open({ settings: { [PROJECT_ID]: {} } });
    await client.get(BACKUP);
    service.rotateKey("other");
    await expect(client.get(BACKUP)).rejects.toMatchObject({ code: "ERR_WRONG_KEY" });
  });

  it("closes where a client does not begin the TLS handshake", async () => {
    const service = await startService({ tls: TLS });
    const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1").on("error", () => {});
    await once(socket, "connect");
    const closed = once(socket, "close");
    await service.close();
    await closed;
  });

  it("fails where its port is in use", async () => {
    const { service } = await open();
    const port = Number(new URL(service.baseUrl).port);
    await expect(startService({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it.each([
    { options: {}, sent: 'op="auth"' },
    { options: { qopParameter: "qop" }, sent: 'qop="auth"' },
  ] as const)("asks for auth as $sent", async ({ options, sent }) => {
    const { service } = await open(options);
    const { headers } = await fetch(service.baseUrl);
    expect(headers.get("www-authenticate")).toContain(`algorithm=MD5, ${sent}, stale=false`);
  });

  it("refuses a persistent response that can't be sent", async () => {
    const { service } = await open();
    expect(() => service.respondWith({ status: 100 })).toThrow("not { status: 100 }.");
    const untyped: { respondWith(response: unknown): void } = service;
    for (const body of [{ logPath: "/l" }, 5, null]) {
      expect(() => untyped.respondWith({ status: 200, body })).toThrow("a body of text or bytes, not");
    }
  });

  it("refuses a header that can't be sent", async () => {
    const { service } = await open();
    const fault = { status: 200, headers: { "X-Two": ["a", "b\nc"] } };
    expect(() => service.failNext(fault)).toThrow('Invalid character in header content ["X-Two"]');
  });

  it("responds with 404 to a path of two slashes", async () => {
    const { service } = await open();
    const bytes = await readTarget(service, "//");
    expect(bytes).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
  });

  it("refuses settings that JSON can't hold, and keeps what it has", async () => {
    const { service, client } = await open({ settings: { [PROJECT_ID]: { backup: { logPath: "/l" } } } });
    const settings = { logRotate: { numTotal: 1n } };
    expect(() => service.set(PROJECT_ID, "backup", settings)).toThrow("serialize a BigInt");
    await expect(startService({ settings: { [PROJECT_ID]: { backup: settings } } })).rejects.toThrow(TypeError);
    expect(await client.get(BACKUP)).toMatchObject({ logPath: "/l" });
  });

  it.each<{ options: object; says: string }>([
    {
      options: { setings: {} },
      says: "setings",
    },
    { options: { port: 65536 }, says: "port must be a whole number from 0 to 65535." },
    {
      options: { settings: { [PROJECT_ID]: { backups: {} } } },
      says: `"${PROJECT_ID}/backups" does not have the form`,
    },
    {
      options: { faults: ["rest"] },
      says: "{ delaySeconds } from 0 to 3600 or a response with a status from 200 to 999",
    },
    { options: { faults: [{ cutAfterBytes: -1 }] }, says: "not { cutAfterBytes: -1 }." },
    { options: { faults: [{ delaySeconds: 3601 }] }, says: "not { delaySeconds: 3601 }." },
    { options: { faults: [{ delaySeconds: -1 }] }, says: "not { delaySeconds: -1 }." },
    { options: { faults: [{ status: 100 }] }, says: "not { status: 100 }." },
    { options: { faults: [{ status: 1000 }] }, says: "not { status: 1000 }." },
  ])("refuses $options in one sentence", async ({ options, says }) => {
    await expect(startService(options)).rejects.toMatchObject({
      code: "ERR_INVALID_ARG_VALUE",
      message: expect.stringContaining(says),
    });
  });
});

const settings = { [PROJECT_ID]: { backup: { logPath: "/l" } } };

describe.each([
  { protocol: "HTTP", tls: undefined },
  { protocol: "TLS", tls: TLS },
])("faults over $protocol", ({ tls }) => {
  it("come one for each authenticated request, in order, before the persistent response", async () => {
    const { service, client } = await open({ tls, settings, faults: [{ status: 503 }] });
    service.respondWith({ status: 418 });
    service.failNext({ status: 502 }, { status: 504 });
    for (let read = 0; read < 4; read += 1) await client.get(BACKUP).catch(() => {});
    service.respondWith(undefined);
    await client.get(BACKUP);
    expect(statuses(service)).toEqual([401, 503, 502, 504, 418, 200]);
  });

  it.each<{ description: string; fault: Fault; code: string; status: number }>([
    { description: "a reset connection", fault: "reset", code: "ECONNRESET", status: 0 },
    { description: "a cut before the first byte", fault: { cutAfterBytes: 0 }, code: "UND_ERR_SOCKET", status: 0 },
  ])("make $description", async ({ fault, code, status }) => {
    const { service, client } = await open({ tls, settings, faults: [fault] });
    await expect(client.get(BACKUP)).rejects.toMatchObject({ code: "ERR_CONNECTION", cause: { code } });
    expect(statuses(service)).toEqual([401, status]);
    expect(await client.get(BACKUP)).toMatchObject({ logPath: "/l" });
  });

  it("reset every connection until they are ended", async () => {
    const { service, client } = await open({ tls, settings });
    service.respondWith("reset");
    for (let read = 0; read < 2; read += 1) {
      await expect(client.get(BACKUP)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    }
    service.respondWith(undefined);
    expect(await client.get(BACKUP)).toMatchObject({ logPath: "/l" });
  });

  it("reset no connection but that of the request", async () => {
    const { service, client } = await open({ tls, settings, faults: [{ delaySeconds: 0.2 }, "reset"] });
    const late = client.get(BACKUP);
    while (service.requests.length < 2) await setImmediate();
    await expect(client.get(BACKUP)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(await late).toMatchObject({ logPath: "/l" });
  });

  it("cut a response in its middle", async () => {
    const { service, client } = await open({ tls, settings, faults: [{ cutAfterBytes: 100 }] });
    await expect(client.get(BACKUP)).rejects.toMatchObject({ code: "ERR_CONNECTION" });
    expect(statuses(service)).toEqual([401, 0]);
  });

  it("forget the nonces of the request itself", async () => {
    const { service, client } = await open({ tls, settings });
    await client.get(BACKUP);
    service.failNext("forgetNonces");
    expect(await client.get(BACKUP)).toMatchObject({ logPath: "/l" });
    expect(statuses(service)).toEqual([401, 200, 401, 200]);
  });

  it("delay the usual response", async () => {
    const { service, client } = await open({ tls, settings, faults: [{ delaySeconds: 0.2 }] });
    const before = performance.now();
    expect(await client.get(BACKUP)).toMatchObject({ logPath: "/l" });
    expect(performance.now() - before).toBeGreaterThanOrEqual(195);
    expect(statuses(service)).toEqual([401, 200]);
  });

  it("that are late do not outlive the service", async () => {
    const { service, client } = await open({ tls, settings, faults: [{ delaySeconds: 3600 }] });
    const [started, cleared] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
    const read = client.get(BACKUP).catch((error: unknown) => error);
    while (service.requests.length < 2) await setImmediate();
    const timer = started.mock.results[started.mock.calls.findIndex(([, delay]) => delay === 3_600_000)]?.value;
    expect(timer).toBeDefined();
    await service.close();
    expect(await read).toMatchObject({ code: "ERR_CONNECTION" });
    expect(cleared).toHaveBeenCalledWith(timer);
  });

  it("send a header on as many lines as the response has values for it", async () => {
    const { service, client } = await open({
      tls,
      settings,
      faults: [{ status: 200, headers: { "X-A-Service-Version": ["gitHash=a", "gitHash=b"] }, body: "{}" }],
    });
    expect(await client.get(BACKUP)).toMatchObject({ serviceVersion: { gitHash: "a" } });
    expect(statuses(service)).toEqual([401, 200]);
  });
});

it("a fault cuts a response after exactly so many bytes", async () => {
  const bytesOf = async (cutAfterBytes: number) => {
    const { service } = await open({ settings, faults: [{ cutAfterBytes }] });
    return readBytes(service, BACKUP);
  };
  const whole = await bytesOf(Number.MAX_SAFE_INTEGER);
  expect(whole).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:[\w-]+: [^\r\n]+\r\n)+\r\n\{"logPath":"\/l"\}$/);
  expect(whole).toMatch(/\r\ncontent-length: 16\r\n/i);
  for (const cutAfterBytes of [0, 1, 17, whole.length - 17, whole.length - 1, whole.length]) {
    expect(await bytesOf(cutAfterBytes)).toBe(whole.slice(0, cutAfterBytes));
  }
});
