import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { type RequestHandler, type Service, type ServiceOptions, startService } from "../../sdk/testing/index.ts";
import { failureOf, KEYS, LOG_PATH, MONITORING, openClient, openService, PROJECT_ID } from "../client/open-client.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { readTarget } from "./read-target.ts";

const READ = { logPath: LOG_PATH };
const UNKNOWN = "f".repeat(24);
const of = (projectId: string) => `/api/public/v1.0/groups/${projectId}/automationConfig/monitoringAgentConfig`;

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

  it("forgets its nonces where the same key is set", async () => {
    const { service, client } = await open();
    await client.get(MONITORING);
    service.rotateKey(KEYS.privateKey);
    await client.get(MONITORING);
    expect(statuses(service)).toEqual([401, 200, 401, 200]);
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

  it("refuses settings that can't be sent, and keeps what it has", async () => {
    const { service, client } = await open();
    const untyped: { set(projectId: string, agent: string, settings: unknown): void } = service;
    for (const settings of [{ logRotate: { numTotal: 1n } }, 1n, () => READ, 5, "x", [1], null]) {
      const set = () => untyped.set(PROJECT_ID, "monitoring", settings);
      expect(set).toThrow(expect.objectContaining({ code: "ERR_INVALID_ARG_VALUE" }));
      expect(set).toThrow("The settings must be an object that JSON can hold.");
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
    { options: { respondWith: "reset" }, says: "respondWith must be a function." },
  ])("refuses $options in one sentence", async ({ options, says }) => {
    const message = expect.stringContaining(says);
    await expect(startService(options)).rejects.toMatchObject({ code: "ERR_INVALID_ARG_VALUE", message });
  });
});

describe.each([
  { protocol: "HTTP", tls: undefined },
  { protocol: "TLS", tls: TLS },
])("respondWith over $protocol", ({ tls }) => {
  it("is asked for each authenticated request, and may leave some to the service", async () => {
    const handler = vi.fn<RequestHandler>(({ target }) => (target.includes(UNKNOWN) ? { status: 503 } : undefined));
    const { service, client } = await open({ tls, respondWith: handler });
    expect(await client.get(MONITORING)).toMatchObject(READ);
    await expect(client.get({ ...MONITORING, projectId: UNKNOWN })).rejects.toMatchObject({ status: 503 });
    expect(handler.mock.calls.map(([{ method, target }]) => `${method} ${target}`)).toEqual([
      `GET ${of(PROJECT_ID)}`,
      `GET ${of(UNKNOWN)}`,
    ]);
    expect(statuses(service)).toEqual([401, 200, 503]);
  });

  it("may delay a response, and be replaced by one that resets other connections", async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { service, client } = await open({ tls, respondWith: () => promise });
    const read = client.get(MONITORING);
    await received(service, 2);
    service.respondWith(() => "reset");
    const other = openClient(service, { caCertificate: CA_FILE });
    // A client repeats a request without a byte of a response once, over another connection.
    expect(await failureOf(other)).toMatchObject({ code: "ERR_CONNECTION", cause: { code: "ECONNRESET" } });
    expect(statuses(service)).toEqual([401, 0, 401, 0, 0]);
    resolve(undefined);
    expect(await read).toMatchObject(READ);
    expect(statuses(service)).toEqual([401, 200, 401, 0, 0]);
    service.respondWith(undefined);
    expect(await other.get(MONITORING)).toMatchObject(READ);
  });

  it("may return after the service is closed", async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { service, client } = await open({ tls, respondWith: () => promise });
    const failure = failureOf(client);
    await received(service, 2);
    await service.close();
    expect(await failure).toMatchObject({ code: "ERR_CONNECTION" });
    resolve(undefined);
    await setImmediate();
  });
});

it.each<{ handler: () => unknown; says: string }>([
  { handler: () => expect(5).toBe(6), says: "expected 5 to be 6" },
  { handler: () => Promise.reject(new Error("too late")), says: "Error: too late" },
  { handler: () => ({ status: 100 }), says: "Invalid status code: 100" },
  { handler: () => ({ status: 1000, headers: { "Content-Encoding": "gzip" } }), says: "Invalid status code: 1000" },
  { handler: () => "rest", says: "Invalid status code: undefined" },
  { handler: () => ({ status: 200, body: READ }), says: "must be of type string or an instance of Buffer" },
  { handler: () => ({ status: 200, headers: { a: "\n" } }), says: 'Invalid character in header content ["a"]' },
  { handler: () => ({ status: 200, headers: { Trailer: "a" } }), says: "Trailers are invalid" },
])("a response with status 500 says why $handler gives none: $says", async ({ handler, says }) => {
  const { service, client } = await open();
  const untyped: { respondWith(handler: unknown): void } = service;
  untyped.respondWith(handler);
  const message = expect.stringMatching(/ \(status 500, respondWith failed: [^\n]+\)\. See/);
  expect(await failureOf(client)).toMatchObject({ code: "ERR_UNAVAILABLE", message });
  expect(await failureOf(client)).toMatchObject({ message: expect.stringContaining(says) });
  service.respondWith(undefined);
  expect(await client.get(MONITORING)).toMatchObject(READ);
});

it("a response has a line for each value of a header", async () => {
  const headers = { "X-A-Service-Version": ["gitHash=a", "gitHash=b"] };
  const { client } = await open({ respondWith: () => ({ status: 200, headers, body: "{}" }) });
  expect(await client.get(MONITORING)).toMatchObject({ serviceVersion: { gitHash: "a" } });
});
