import { Dispatcher } from "undici";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/errors.ts";
import { PendingRead } from "../../sdk/client/pending-read.ts";
import { ReadGate } from "../../sdk/client/read-gate.ts";
import { MAX_REQUESTS, RequestQueue } from "../../sdk/client/request-queue.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** A service whose requests the test answers by hand. */
class Requests extends Dispatcher {
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

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.sent.push(handler);
    handler.onRequestStart?.(this.controller, {});
    return true;
  }

  /** Answers the newest request. */
  respond(status: number, headers: Record<string, string> = {}, body = "{}"): void {
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
  readonly queue?: RequestQueue;
}

/** Starts a read with a time limit of 10 s. */
function start({ maxRetries = 3, signal, gate, queue = new RequestQueue() }: Options = {}) {
  const requests = new Requests();
  const { outcome } = new PendingRead({
    dispatcher: requests,
    queue,
    connection: {
      baseUrl: "http://service",
      publicKey: "publickey",
      privateKey: "private-key-0001",
      allowHttp: true,
      timeoutSeconds: 10,
      maxRetries,
      caCertificate: undefined,
    },
    request: { path: "/", method: "GET" },
    subject: "Can't read",
    signal,
    gate,
  });
  const ended = vi.fn();
  outcome.then(ended, ended);
  return { requests, outcome, ended };
}

/** A queue in which nothing else gets a turn. */
function fullQueue(): RequestQueue {
  const queue = new RequestQueue();
  for (let count = 0; count < MAX_REQUESTS; count += 1) queue.enter(() => {});
  return queue;
}

it("ends a request after the time limit", async () => {
  const { requests, outcome, ended } = start();
  outcome.catch(() => {});
  await pass(9999);
  expect(ended).not.toHaveBeenCalled();
  await pass(1);
  await expect(outcome).rejects.toThrow(
    "Can't read: no response within 10 s; check the network, or raise timeoutSeconds",
  );
  expect(requests.abort).toHaveBeenCalledOnce();
});

it("counts no time in the queue, and says so where its turn does not come", async () => {
  const queue = fullQueue();
  const { requests, outcome, ended } = start({ queue });
  outcome.catch(() => {});
  await pass(199_999);
  expect(ended).not.toHaveBeenCalled();
  await pass(1);
  await expect(outcome).rejects.toMatchObject({
    code: "ERR_TIMEOUT",
    message: expect.stringContaining("its turn did not come within 200 s"),
  });
  expect(requests.sent).toHaveLength(0);
});

it("has the whole time limit when its turn comes late", async () => {
  const queue = new RequestQueue();
  const busy = Array.from({ length: MAX_REQUESTS }, () => () => {});
  for (const send of busy) queue.enter(send);
  const { requests, outcome, ended } = start({ queue });
  await pass(150_000);
  queue.leave(busy[0] ?? (() => {}));
  await pass(9999);
  expect(ended).not.toHaveBeenCalled();
  requests.respond(200);
  await expect(outcome).resolves.toMatchObject({ body: {} });
});

it("counts the time of all requests and pauses between them", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const { requests, outcome } = start();
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
  {
    description: "no less where Retry-After is past",
    headers: { "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" },
    random: 0,
    milliseconds: 500,
  },
])("waits before the first retry: $description", async ({ headers, random, milliseconds }) => {
  vi.spyOn(Math, "random").mockReturnValue(random);
  const { requests, outcome } = start();
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
  const { requests, outcome } = start();
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
  const { requests, outcome } = start();
  requests.respond(status);
  await expect(outcome).rejects.toMatchObject({ status });
  await pass(60_000);
  expect(requests.sent).toHaveLength(1);
});

it("sends nothing after its caller has given up in a pause, and leaves the queue", async () => {
  const queue = new RequestQueue();
  const controllers = Array.from({ length: MAX_REQUESTS }, () => new AbortController());
  const reads = controllers.map(({ signal }) => start({ signal, queue }));
  for (const { requests } of reads) requests.respond(503);
  for (const controller of controllers) controller.abort(new Error("enough"));
  for (const { outcome } of reads) await expect(outcome).rejects.toThrow("enough");
  await pass(60_000);
  for (const { requests } of reads) expect(requests.sent).toHaveLength(1);
  const { requests, outcome } = start({ queue });
  requests.respond(200);
  await expect(outcome).resolves.toMatchObject({ body: {} });
});

it("ends a request that gets its connection after its caller has given up", async () => {
  const controller = new AbortController();
  const { requests, outcome } = start({ signal: controller.signal });
  outcome.catch(() => {});
  controller.abort(new Error("enough"));
  requests.abort.mockClear();
  requests.sent[0]?.onRequestStart?.(requests.controller, {});
  expect(requests.abort).toHaveBeenCalledOnce();
});

it("sends nothing where other reads have found out that it would fail meanwhile", async () => {
  const queue = new RequestQueue();
  const busy = Array.from({ length: MAX_REQUESTS }, () => () => {});
  for (const send of busy) queue.enter(send);
  const gate = new ReadGate();
  const { requests, outcome } = start({ queue, gate });
  outcome.catch(() => {});
  const refusal = new AgentLogConfigError("ERR_WRONG_KEY", "it is refused", { subject: "Can't read another" });
  await gate.pass("", () => Promise.reject(refusal)).catch(() => {});
  queue.leave(busy[0] ?? (() => {}));
  await expect(outcome).rejects.toThrow("Can't read: it is refused");
  expect(requests.sent).toHaveLength(0);
});
