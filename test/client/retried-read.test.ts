import { getEventListeners } from "node:events";
import type { Dispatcher } from "undici";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ConnectionPool, MAX_CONNECTIONS } from "../../sdk/client/connection-pool.ts";
import { Cookies } from "../../sdk/client/cookies.ts";
import { AgentLogConfigError } from "../../sdk/client/errors.ts";
import { ReadGate } from "../../sdk/client/read-gate.ts";
import { retriedRead } from "../../sdk/client/retried-read.ts";
import { DigestKey, DigestSession } from "../../sdk/digest/digest-session.ts";
import type { DigestConnection } from "../../sdk/digest/send-signed.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** A service whose requests the test answers by hand. */
class Requests implements DigestConnection {
  readonly session = new DigestSession(new DigestKey({ username: "u", password: "p" }));
  readonly cookies = new Cookies();
  readonly replace = vi.fn<() => void>();
  readonly sent: Dispatcher.DispatchHandler[] = [];
  readonly abort = vi.fn();
  readonly controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    rawHeaders: null,
    rawTrailers: null,
    abort: this.abort,
    pause: () => {},
    resume: () => {},
  };

  async destroy(): Promise<void> {}

  dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.sent.push(handler);
    handler.onRequestStart?.(this.controller, {});
    return true;
  }

  /** Answers the newest request. */
  respond(status: number, headers: Record<string, string> = {}, body = '{"logPath":"/l"}'): void {
    const handler = this.sent.at(-1);
    handler?.onResponseStart?.(this.controller, status, headers);
    handler?.onResponseData?.(this.controller, Buffer.from(body));
    handler?.onResponseEnd?.(this.controller, {});
  }
}

interface Options {
  readonly maxRetries?: number;
  readonly signal?: AbortSignal;
  readonly gate?: ReadGate;
  /** The service, which each of the reads may have to itself. */
  readonly requests?: Requests;
  readonly pool?: ConnectionPool;
  readonly timeoutSeconds?: number;
}

/** Starts a read with a time limit of 10 s, and lets it send its request. */
async function start({ maxRetries = 3, timeoutSeconds = 10, signal, gate = new ReadGate(), ...service }: Options = {}) {
  const { requests = new Requests() } = service;
  const { pool = new ConnectionPool(() => requests) } = service;
  const outcome = retriedRead({
    pool,
    options: {
      baseUrl: "http://service",
      publicKey: "publickey",
      privateKey: "private-key-0001",
      allowHttp: true,
      timeoutSeconds,
      maxRetries,
      caCertificate: undefined,
    },
    request: { path: "/", method: "GET", headers: {} },
    subject: "Can't read",
    signal,
    gate,
  });
  const ended = vi.fn();
  outcome.then(ended, ended);
  await pass(0);
  return { requests, outcome, ended };
}

/** A pool whose connections are all in use until the test gives one back. */
async function fullPool() {
  const requests = new Requests();
  const pool = new ConnectionPool(() => requests);
  for (let place = 0; place < MAX_CONNECTIONS; place += 1) await pool.take();
  return { requests, pool, giveBack: () => pool.giveBack(requests) };
}

it("ends a request after the time limit", async () => {
  const { requests, outcome, ended } = await start();
  outcome.catch(() => {});
  await pass(9999);
  expect(ended).not.toHaveBeenCalled();
  await pass(1);
  await expect(outcome).rejects.toThrow(
    "Can't read: no response within 10 s; check the network, or raise timeoutSeconds",
  );
  expect(requests.abort).toHaveBeenCalledOnce();
});

it("has the whole time limit when its turn comes, however late", async () => {
  const service = await fullPool();
  const { requests, outcome, ended } = await start(service);
  await pass(1_000_000);
  service.giveBack();
  await pass(9999);
  expect(ended).not.toHaveBeenCalled();
  requests.respond(200);
  await expect(outcome).resolves.toMatchObject({ body: { logPath: "/l" } });
});

it("counts the time of all requests and pauses between them", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const { requests, outcome } = await start();
  outcome.catch(() => {});
  await pass(6000);
  requests.respond(503);
  await pass(500);
  expect(requests.sent).toHaveLength(2);
  await pass(3499);
  requests.respond(503);
  // 1 ms is left, which is less than the next pause.
  await expect(outcome).rejects.toMatchObject({ status: 503 });
});

it.each([
  { description: "half a second", headers: {}, random: 0, milliseconds: 500 },
  { description: "a quarter at least", headers: {}, random: 1, milliseconds: 250 },
  { description: "Retry-After as well", headers: { "retry-after": "2" }, random: 0, milliseconds: 2500 },
])("waits before the first retry: $description", async ({ headers, random, milliseconds }) => {
  vi.spyOn(Math, "random").mockReturnValue(random);
  const { requests, outcome } = await start();
  requests.respond(503, headers);
  await pass(milliseconds - 1);
  expect(requests.sent).toHaveLength(1);
  await pass(1);
  expect(requests.sent).toHaveLength(2);
  requests.respond(200);
  await outcome;
});

it("doubles the wait with each retry", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const { requests, outcome } = await start();
  outcome.catch(() => {});
  for (const [index, milliseconds] of [500, 1000, 2000].entries()) {
    requests.respond(503);
    await pass(milliseconds - 1);
    expect(requests.sent).toHaveLength(index + 1);
    await pass(1);
    expect(requests.sent).toHaveLength(index + 2);
  }
  requests.respond(503);
  await expect(outcome).rejects.toMatchObject({ status: 503 });
});

it.each([500, 401, 403, 404])("does not repeat status %d", async (status) => {
  const { requests, outcome } = await start();
  requests.respond(status);
  await expect(outcome).rejects.toMatchObject({ status });
  await pass(60_000);
  expect(requests.sent).toHaveLength(1);
});

it("does not repeat a request whose last nonce was too old", async () => {
  const { requests, outcome } = await start();
  outcome.catch(() => {});
  for (let nonce = 1; nonce <= 4; nonce += 1) {
    requests.respond(401, { "www-authenticate": `Digest realm="r", nonce="${nonce}", stale=true` });
    await pass(0);
  }
  await expect(outcome).rejects.toMatchObject({ code: "ERR_UNAVAILABLE", status: 401 });
  expect(requests.sent).toHaveLength(4);
});

it("sends nothing after its caller has given up in a pause, and gives its connection back", async () => {
  const all = new Requests();
  const pool = new ConnectionPool(() => all);
  const controllers = Array.from({ length: MAX_CONNECTIONS }, () => new AbortController());
  const reads: Promise<unknown>[] = [];
  for (const { signal } of controllers) {
    reads.push((await start({ signal, pool })).outcome);
    all.respond(503);
  }
  await pass(1);
  for (const controller of controllers) controller.abort(new Error("enough"));
  for (const read of reads) await expect(read).rejects.toThrow("enough");
  expect(vi.getTimerCount()).toBe(0);
  await pass(60_000);
  expect(all.sent).toHaveLength(MAX_CONNECTIONS);
  const { outcome } = await start({ pool });
  all.respond(200);
  await expect(outcome).resolves.toMatchObject({ body: { logPath: "/l" } });
});

it("takes no connection that is returned just before its caller gives up its wait", async () => {
  const service = await fullPool();
  const controller = new AbortController();
  const { outcome } = await start({ ...service, signal: controller.signal });
  service.giveBack();
  controller.abort(new Error("enough"));
  await expect(outcome).rejects.toThrow("enough");
  const next = await start(service);
  service.requests.respond(200);
  await expect(next.outcome).resolves.toMatchObject({ body: { logPath: "/l" } });
});

it("leaves nothing behind at a signal that is used for many reads", async () => {
  const { signal } = new AbortController();
  const { requests, outcome } = await start({ signal });
  requests.respond(503);
  await pass(500);
  requests.respond(200);
  await outcome;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("keeps its connection in the pause before a retry, so that no other read is sent over it", async () => {
  const requests = new Requests();
  const pool = new ConnectionPool(() => requests);
  const reads = await Promise.all(Array.from({ length: MAX_CONNECTIONS + 1 }, () => start({ pool, requests })));
  for (let place = 0; place < MAX_CONNECTIONS; place += 1) {
    const handler = requests.sent[place];
    handler?.onResponseStart?.(requests.controller, 503, {});
    handler?.onResponseEnd?.(requests.controller, {});
  }
  await pass(249);
  expect(requests.sent).toHaveLength(MAX_CONNECTIONS);
  for (const { outcome } of reads) outcome.catch(() => {});
});

it("sends nothing where another read has found out meanwhile that the key is refused", async () => {
  const gate = new ReadGate();
  const service = await fullPool();
  const { requests, outcome } = await start({ ...service, gate });
  outcome.catch(() => {});
  const refusal = new AgentLogConfigError("ERR_WRONG_KEY", "it is refused", { subject: "Can't read another" });
  await gate.pass("another", () => Promise.reject(refusal)).catch(() => {});
  service.giveBack();
  await expect(outcome).rejects.toThrow("Can't read: it is refused");
  expect(requests.sent).toHaveLength(0);
});

const outage = new AgentLogConfigError("ERR_UNAVAILABLE", "it is down", { status: 503 });

/** A gate that three projects have told of an outage. */
async function gateOfOutage(): Promise<ReadGate> {
  const gate = new ReadGate();
  for (const project of ["a", "b", "c"]) await gate.pass(project, () => Promise.reject(outage)).catch(() => {});
  return gate;
}

it("has five seconds in an outage, and says why", async () => {
  const { requests, outcome } = await start({ gate: await gateOfOutage() });
  outcome.catch(() => {});
  await pass(4999);
  expect(requests.abort).not.toHaveBeenCalled();
  await pass(1);
  await expect(outcome).rejects.toMatchObject({
    code: "ERR_TIMEOUT",
    message: expect.stringContaining("no response within 5 s, the limit after the reads of other projects have failed"),
  });
});

it("has no more than its own time in an outage", async () => {
  const { outcome } = await start({ gate: await gateOfOutage(), timeoutSeconds: 2 });
  outcome.catch(() => {});
  await pass(2000);
  await expect(outcome).rejects.toThrow("no response within 2 s; check the network, or raise timeoutSeconds");
});

it("sends its request once in an outage", async () => {
  const { requests, outcome } = await start({ gate: await gateOfOutage() });
  requests.respond(503);
  await expect(outcome).rejects.toMatchObject({ status: 503 });
  await pass(60_000);
  expect(requests.sent).toHaveLength(1);
});

it("does not send its request again where an outage begins while it pauses", async () => {
  const gate = new ReadGate();
  const { requests, outcome } = await start({ gate });
  outcome.catch(() => {});
  requests.respond(503);
  for (const project of ["a", "b", "c"]) await gate.pass(project, () => Promise.reject(outage)).catch(() => {});
  await pass(60_000);
  await expect(outcome).rejects.toMatchObject({ status: 503, message: expect.stringMatching(/^Can't read: /) });
  expect(requests.sent).toHaveLength(1);
});
