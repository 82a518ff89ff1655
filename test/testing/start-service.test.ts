import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Fault, type Service, type ServiceOptions, startService } from "../../sdk/testing/index.ts";
import { failureOf, LOG_PATH, MONITORING, openClient, openService, PROJECT_ID } from "../client/open-client.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { readBytes, readTarget } from "./read-bytes.ts";

const READ = { logPath: LOG_PATH };

async function open(options: ServiceOptions = {}) {
  const service = await openService(options);
  return { service, client: openClient(service, { caCertificate: CA_FILE }) };
}

function statuses({ requests }: Service): readonly number[] {
  return requests.map(({ status }) => status);
}

async function received(service: Service, requests: number): Promise<void> {
  while (service.requests.length < requests) await setImmediate();
}

describe("startService", () => {
  it.each([
    { description: "as real services do", qopParameter: undefined, name: "qop" },
    { description: "as the contract spells it", qopParameter: "op", name: "op" },
  ] as const)("asks $description for $name, which the client answers", async ({ qopParameter, name }) => {
    const { service, client } = await open({ qopParameter });
    expect(await client.get(MONITORING)).toMatchObject(READ);
    const { status, headers } = await fetch(service.baseUrl);
    expect([status, headers.get("content-type")]).toEqual([401, "application/json;charset=ISO-8859-1"]);
    expect(headers.get("www-authenticate")).toMatch(
      new RegExp(
        `^Digest realm="Example Public API", domain="", nonce="[A-Za-z0-9+/]{32}", algorithm=MD5, ${name}="auth", stale=false$`,
      ),
    );
  });

  it("has the settings that it is given, and those that are set, until they are removed", async () => {
    const { service, client } = await open();
    expect(await client.get(MONITORING)).toMatchObject(READ);
    expect(await client.get({ ...MONITORING, agent: "backup" })).toMatchObject({ logPath: undefined });
    service.set(PROJECT_ID, "backup", READ);
    expect(await client.get({ ...MONITORING, agent: "backup" })).toMatchObject(READ);
    for (const agent of ["backup", "monitoring"] as const) service.set(PROJECT_ID, agent, undefined);
    expect(await failureOf(client)).toMatchObject({ code: "ERR_PROJECT_NOT_FOUND" });
  });

  it("keeps every request, refused ones included", async () => {
    const { service, client } = await open();
    await client.get({ ...MONITORING, pretty: true });
    expect(service.requests.map(({ method, status }) => `${method} ${status}`)).toEqual(["GET 401", "GET 200"]);
    expect(service.requests[1]?.target).toMatch(/monitoringAgentConfig\?pretty=true$/);
  });

  it("refuses another key from the moment it is rotated", async () => {
    const { service, client } = await open();
    await client.get(MONITORING);
    service.rotateKey("other");
    expect(await failureOf(client)).toMatchObject({ code: "ERR_WRONG_KEY" });
  });

  it("closes where a client does not begin the TLS handshake", async () => {
    const { service } = await open({ tls: TLS });
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

  const of = (projectId: string) => `/api/public/v1.0/groups/${projectId}/automationConfig/monitoringAgentConfig`;
  const UNKNOWN = "f".repeat(24);

  it.each<{ target: string; method?: string; status: number; body: RegExp }>([
    { target: of(PROJECT_ID), status: 200, body: /^\{"logPath":"\S+"\}$/ },
    { target: of(PROJECT_ID.toUpperCase()), status: 200, body: /^\{"logPath":"\S+"\}$/ },
    { target: `${of(PROJECT_ID)}?pretty=true`, status: 200, body: /^\{\n {2}"logPath": "\S+"\n\}$/ },
    {
      target: `${of(PROJECT_ID)}?envelope=true`,
      status: 200,
      body: /^\{"status":200,"content":\{"logPath":"\S+"\}\}$/,
    },
    { target: `${of(UNKNOWN)}?envelope=true`, status: 200, body: /^\{"status":404,"content":.*GROUP_NOT_FOUND/ },
    { target: of(UNKNOWN), status: 404, body: /^\{"error":404,.*GROUP_NOT_FOUND/ },
    { target: "//", status: 404, body: /RESOURCE_NOT_FOUND/ },
    { target: of(PROJECT_ID), method: "POST", status: 405, body: /METHOD_NOT_ALLOWED/ },
  ])("responds to $method $target with $status", async ({ target, method, status, body }) => {
    const service = await openService();
    service.set(PROJECT_ID.toUpperCase(), "backup", {});
    const [head, content] = (await readTarget(service, target, method)).split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(content).toMatch(body);
  });

  it("refuses a persistent response, and settings, that can't be sent, and keeps what it has", async () => {
    const { service, client } = await open();
    const untyped: {
      respondWith(response: unknown): void;
      set(projectId: string, agent: string, settings: unknown): void;
    } = service;
    for (const settings of [{ logRotate: { numTotal: 1n } }, 1n, () => READ, 5, "x", [1], null]) {
      const set = () => untyped.set(PROJECT_ID, "monitoring", settings);
      expect(set).toThrow(expect.objectContaining({ code: "ERR_INVALID_ARG_VALUE" }));
      expect(set).toThrow("The settings must be an object that JSON can hold.");
    }
    expect(() => service.respondWith({ status: 100 })).toThrow("not { status: 100 }.");
    for (const body of [READ, 5, null]) {
      expect(() => untyped.respondWith({ status: 200, body })).toThrow("a body of text or bytes, not");
    }
    expect(await client.get(MONITORING)).toMatchObject(READ);
  });

  it.each<{ options: object; says: string }>([
    { options: { setings: {} }, says: "setings" },
    { options: { port: 65536 }, says: "port must be a whole number from 0 to 65535." },
    {
      options: { settings: { [PROJECT_ID]: { backups: {} } } },
      says: '/backups" names no agent; the agents are monitoring and backup.',
    },
    {
      options: { settings: { [PROJECT_ID]: { backup: 5 } } },
      says: "The settings must be an object that JSON can hold.",
    },
    { options: { faults: ["rest"] }, says: "from 0 to 3600 or a response with a status from 200 to 999" },
    { options: { faults: [{ cutAfterBytes: -1 }] }, says: "not { cutAfterBytes: -1 }." },
    { options: { faults: [{ delaySeconds: 3601 }] }, says: "not { delaySeconds: 3601 }." },
    { options: { faults: [{ delaySeconds: -1 }] }, says: "not { delaySeconds: -1 }." },
    { options: { faults: [{ status: 1000 }] }, says: "not { status: 1000 }." },
  ])("refuses $options in one sentence", async ({ options, says }) => {
    const message = expect.stringContaining(says);
    await expect(startService(options)).rejects.toMatchObject({ code: "ERR_INVALID_ARG_VALUE", message });
  });
});

describe.each([
  { protocol: "HTTP", tls: undefined },
  { protocol: "TLS", tls: TLS },
])("faults over $protocol", ({ tls }) => {
  it("come one for each authenticated request, in order, before the persistent response", async () => {
    const { service, client } = await open({ tls, faults: [{ status: 503 }] });
    service.respondWith({ status: 418 });
    service.failNext({ status: 502 }, { status: 504 });
    for (let read = 0; read < 4; read += 1) await failureOf(client);
    service.respondWith(undefined);
    await client.get(MONITORING);
    // A client that met an outage asks for a new challenge.
    expect(statuses(service).filter((status) => status !== 401)).toEqual([503, 502, 504, 418, 200]);
  });

  it.each<{ description: string; faults: readonly Fault[]; cause: object }>([
    // A client repeats a request without a byte of a response once, over another connection.
    { description: "a reset connection", faults: ["reset", "reset"], cause: { code: "ECONNRESET" } },
    {
      description: "a cut before the first byte",
      faults: [{ cutAfterBytes: 0 }, { cutAfterBytes: 0 }],
      cause: { code: "UND_ERR_SOCKET" },
    },
    { description: "a cut in the middle", faults: [{ cutAfterBytes: 100 }], cause: {} },
  ])("make $description", async ({ faults, cause }) => {
    const { service, client } = await open({ tls, faults });
    expect(await failureOf(client)).toMatchObject({ code: "ERR_CONNECTION", cause });
    expect(statuses(service)).toEqual([401, ...faults.map(() => 0)]);
    expect(await client.get(MONITORING)).toMatchObject(READ);
  });

  it("reset every connection until they are ended", async () => {
    const { service, client } = await open({ tls });
    service.respondWith("reset");
    for (const _ of [1, 2]) expect(await failureOf(client)).toMatchObject({ cause: { code: "ECONNRESET" } });
    service.respondWith(undefined);
    expect(await client.get(MONITORING)).toMatchObject(READ);
  });

  it("delay the usual response, reset no other connection, and do not outlive the service", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { service, client } = await open({
      tls,
      faults: [{ delaySeconds: 9 }, "reset", "reset", { delaySeconds: 3600 }],
    });
    const ended = vi.fn<(result: unknown) => void>();
    const late = client.get(MONITORING).then(ended);
    await received(service, 2);
    await vi.advanceTimersByTimeAsync(8999);
    expect(await failureOf(client)).toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await late;
    expect(ended).toHaveBeenCalledWith(expect.objectContaining(READ));
    const timers = vi.getTimerCount();
    const failure = failureOf(client);
    await received(service, statuses(service).length + 1);
    await service.close();
    expect(await failure).toMatchObject({ code: "ERR_CONNECTION" });
    expect(vi.getTimerCount()).toBeLessThanOrEqual(timers);
  });

  it("forget the nonces of the request itself", async () => {
    const { service, client } = await open({ tls });
    await client.get(MONITORING);
    service.failNext("forgetNonces");
    expect(await client.get(MONITORING)).toMatchObject(READ);
    expect(statuses(service)).toEqual([401, 200, 401, 200]);
  });
});

it("a response has a line for each value of a header", async () => {
  const headers = { "X-A-Service-Version": ["gitHash=a", "gitHash=b"] };
  const { client } = await open({ faults: [{ status: 200, headers, body: "{}" }] });
  expect(await client.get(MONITORING)).toMatchObject({ serviceVersion: { gitHash: "a" } });
});

it("a fault cuts a response after exactly so many bytes", async () => {
  const bytesOf = async (cutAfterBytes: number) =>
    readBytes(await openService({ faults: [{ cutAfterBytes }] }), MONITORING);
  const whole = await bytesOf(Number.MAX_SAFE_INTEGER);
  expect(whole).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:[\w-]+: [^\r\n]+\r\n)+\r\n\{"logPath":"[\w/.-]+"\}$/);
  expect(whole).toMatch(/\r\ncontent-length: 32\r\n/i);
  for (const cutAfterBytes of [0, 1, 17, whole.length - 17, whole.length - 1, whole.length]) {
    expect(await bytesOf(cutAfterBytes)).toBe(whole.slice(0, cutAfterBytes));
  }
});
