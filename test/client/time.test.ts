import diagnosticsChannel from "node:diagnostics_channel";
import dns from "node:dns";
import { getEventListeners } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createConnection, createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type AgentLogConfigClient, AgentLogConfigError } from "../../sdk/client/index.ts";
import { ReadGate } from "../../sdk/client/read-gate.ts";
import { errorFinding } from "../../sdk/findings/finding.ts";
import type { Service } from "../../sdk/testing/index.ts";
import { listen } from "../servers/listen.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { type Fault, queueFaults, STALE_NONCE } from "../testing/queue-faults.ts";
import { failureOf, LOG_PATH, MONITORING, openClient, openClientOfRun, openService } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";

/** When requests were sent, in milliseconds, and how many responses have come. */
const seen = { sentAt: [] as number[], responses: 0 };
const noteRequest = () => void seen.sentAt.push(performance.now());
const noteResponse = () => {
  seen.responses += 1;
};
// Time stands still, whatever a response takes, until a test lets it pass.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  diagnosticsChannel.subscribe("undici:request:create", noteRequest);
  diagnosticsChannel.subscribe("undici:request:trailers", noteResponse);
});
afterAll(() => {
  vi.useRealTimers();
  diagnosticsChannel.unsubscribe("undici:request:create", noteRequest);
  diagnosticsChannel.unsubscribe("undici:request:trailers", noteResponse);
});

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  Object.assign(seen, { sentAt: [], responses: 0 });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.mocked(ReadGate.prototype.pass).mockRestore?.();
  // Whatever is still under way ends.
  await pass(100_000);
});

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate();
  await setImmediate();
}

const received = (service: Service, requests: number) => until(() => service.requests.length >= requests);
const responded = (responses: number) => until(() => seen.responses >= responses);

/** Notes what a read ends with. */
function watch(read: Promise<unknown>) {
  const ended = vi.fn<(end: unknown) => void>();
  read.then(ended, ended);
  return ended;
}

const NEVER: Fault = { delaySeconds: 3600 };
const DOWN: Fault = { status: 503 };
const DEFECT: Fault = { status: 500, body: '{"error":500,"errorCode":"UNEXPECTED_ERROR"}' };
/** As many reads as there are connections. */
const ALL = Array.from({ length: 16 });
/** Lets reads begin at once, which otherwise wait for the first one. */
function sendAtOnce(): void {
  vi.spyOn(ReadGate.prototype, "pass").mockImplementation(async ({ signal }, send) => {
    signal?.throwIfAborted();
    return send();
  });
}

describe("a read", () => {
  it("ends after timeoutSeconds, and its connection with it", async () => {
    const service = await openService({ faults: [NEVER] });
    const client = openClient(service, { timeoutSeconds: 10 });
    const ended = watch(client.get(MONITORING));
    await received(service, 2);
    await pass(9999);
    expect(ended).not.toHaveBeenCalled();
    await pass(1);
    const message = expect.stringContaining("no response within 10 s; check the network, or raise timeoutSeconds. See");
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_TIMEOUT", message }));
    expect(await client.get(MONITORING)).toMatchObject({ logPath: LOG_PATH });
  });

  it("has all of its time when its turn comes, however late", async () => {
    sendAtOnce();
    const service = await openService({ faults: [...ALL.map(() => NEVER), { delaySeconds: 9 }] });
    const client = openClient(service, { timeoutSeconds: 10 });
    const [last, ...others] = [...ALL, "last"].map(() => watch(client.get(MONITORING))).reverse();
    await received(service, 32);
    await pass(10_000);
    for (const ended of others) expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_TIMEOUT" }));
    await received(service, 34);
    await pass(9000);
    await responded(18);
    expect(last).toHaveBeenCalledWith(expect.objectContaining({ logPath: LOG_PATH }));
  });

  it.each([
    { description: "half a second, and doubles it", headers: {}, random: 0, waits: [500, 1000, 2000] },
    { description: "half of that at least", headers: {}, random: 1, waits: [250, 500, 1000] },
    { description: "Retry-After as well", headers: { "Retry-After": "2 \t" }, random: 0, waits: [2500, 3000, 4000] },
    {
      description: "no more for a Retry-After of more than a day, such as a point in time",
      headers: { "Retry-After": "1795806915" },
      random: 0,
      waits: [500, 1000, 2000],
    },
    {
      description: "no more for a date that is more than a day away",
      headers: { Date: "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": "Mon, 07 Nov 1994 08:49:38 GMT" },
      random: 0,
      waits: [500, 1000, 2000],
    },
    {
      description: "no less where Retry-After is past",
      headers: { "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT" },
      random: 0,
      waits: [500, 1000, 2000],
    },
  ])("waits before it is repeated: $description", async ({ headers, random, waits }) => {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const service = await openService();
    service.respondWith(() => ({ status: 503, headers }));
    const ended = watch(openClient(service, { maxRetries: 3 }).get(MONITORING));
    // Each one goes over a new connection, which asks for a challenge.
    for (const requests of [2, 4, 6]) {
      await responded(requests);
      while (seen.sentAt.length === requests) await vi.advanceTimersToNextTimerAsync();
    }
    await responded(8);
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ status: 503 }));
    expect(ended).not.toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringMatching(/again in \d{5}/) }),
    );
    const begun = seen.sentAt.filter((_, index) => index % 2 === 0);
    expect(begun.slice(1).map((time, index) => time - (begun[index] ?? 0))).toEqual(waits);
  });

  it.each([
    ["Spring Cloud Gateway", '{"path":"/","status":500,"error":"Internal Server Error"}'],
    [
      "@fastify/http-proxy",
      '{"statusCode":500,"code":"FST_REPLY_FROM_INTERNAL_SERVER_ERROR","error":"Internal Server Error"}',
    ],
    ["http-proxy", "Something went wrong. And we are reporting a custom error message."],
  ])("is repeated after status 500 of %s, which it sends while the service restarts", async (_, body) => {
    const service = await openService({ faults: [{ status: 500, body }] });
    const ended = watch(openClient(service, { maxRetries: 1 }).get(MONITORING));
    await responded(2);
    await pass(500);
    await until(() => ended.mock.calls.length > 0);
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ logPath: LOG_PATH }));
  });

  it("is repeated over the same connection after a rate limit, which would count another challenge", async () => {
    const service = await openService({ faults: [{ status: 429 }] });
    const ended = watch(openClient(service, { maxRetries: 1 }).get(MONITORING));
    await responded(2);
    await pass(500);
    await until(() => ended.mock.calls.length > 0);
    expect(service.requests.map(({ status }) => status)).toEqual([401, 429, 200]);
  });

  it("names the proxy that it goes through where its time is over", async () => {
    const service = await openService({ faults: [NEVER] });
    const { origin } = await startProxyStandIn();
    vi.stubEnv("http_proxy", origin);
    const ended = watch(openClient(service, { timeoutSeconds: 5 }).get(MONITORING));
    await received(service, 2);
    await pass(5000);
    await until(() => ended.mock.calls.length > 0);
    const message = expect.stringContaining(
      `no response within 5 s; check the network, or raise timeoutSeconds (through the proxy ${new URL(origin).host})`,
    );
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_TIMEOUT", message }));
  });

  it("says that the name of its host can't be looked up where its time is over before", async () => {
    const lookup = vi.spyOn(dns, "lookup").mockImplementation(() => {});
    onTestFinished(() => lookup.mockRestore());
    const ended = watch(openClient({ baseUrl: "https://service.example" }, { timeoutSeconds: 5 }).get(MONITORING));
    await until(() => lookup.mock.calls.length > 0);
    await pass(5000);
    await until(() => ended.mock.calls.length > 0);
    const message = expect.stringContaining("its host name can't be looked up now; check the network (EAI_AGAIN)");
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_CONNECTION", message }));
  });

  it("says nothing of the attempt before where it fails by itself", async () => {
    const service = await openService({ faults: [{ status: 502 }, { status: 404 }] });
    const ended = watch(openClient(service, { maxRetries: 1 }).get(MONITORING));
    await responded(2);
    await pass(500);
    await until(() => ended.mock.calls.length > 0);
    const message = expect.not.stringContaining("The attempt before failed");
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ status: 404, message }));
  });

  it("looks the name of its host up again where the look-up before it is lost", async () => {
    const service = await openService();
    const lookup = vi.spyOn(dns, "lookup").mockImplementation((...args: unknown[]) => {
      const found = args.at(-1);
      if (lookup.mock.calls.length > 1 && typeof found === "function") {
        process.nextTick(found, null, [{ address: "127.0.0.1", family: 4 }]);
      }
    });
    onTestFinished(() => lookup.mockRestore());
    const baseUrl = service.baseUrl.replace("127.0.0.1", "service.example");
    const ended = watch(openClient({ baseUrl }, { maxRetries: 1 }).get(MONITORING));
    while (ended.mock.calls.length === 0) {
      await setImmediate();
      await pass(500);
    }
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ logPath: LOG_PATH }));
    expect(lookup).toHaveBeenCalledTimes(2);
  });

  it("says how the attempt before has failed where its time is over while it connects", async () => {
    const silent = createServer();
    const sockets: Socket[] = [];
    silent.on("connection", (socket) => {
      sockets.push(socket.on("error", () => {}));
      if (sockets.length === 1) socket.resetAndDestroy();
    });
    const baseUrl = `https://127.0.0.1:${await listen(silent)}`;
    const ended = watch(openClient({ baseUrl }, { timeoutSeconds: 5, maxRetries: 1 }).get(MONITORING));
    await until(() => sockets.length === 1);
    await until(() => vi.getTimerCount() > 0);
    while (sockets.length === 1) {
      await setImmediate();
      await pass(100);
    }
    await pass(5000);
    await until(() => ended.mock.calls.length > 0);
    const says =
      /: it does not respond; .*UND_ERR_CONNECT_TIMEOUT, after 2 attempts.* The attempt before failed: the connection was cut/;
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringMatching(says) }));
  });

  it("is not repeated where its time would be over", async () => {
    const service = await openService();
    service.respondWith(() => DOWN);
    const ended = watch(openClient(service, { maxRetries: 3, timeoutSeconds: 1.4 }).get(MONITORING));
    await responded(2);
    await pass(500);
    // The next wait would be one of 1 s.
    await responded(4);
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ status: 503 }));
  });

  it("is not repeated where a busy program comes back after its time, and says how it has failed", async () => {
    const service = await openService({ faults: [DOWN] });
    const ended = watch(openClient(service, { maxRetries: 3, timeoutSeconds: 1 }).get(MONITORING));
    await responded(2);
    const now = performance.now.bind(performance);
    const late = vi.spyOn(performance, "now").mockImplementation(() => now() + 1000);
    await pass(500);
    late.mockRestore();
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ status: 503 }));
    expect(service.requests).toHaveLength(2);
  });

  it.each<readonly [string, readonly Fault[], object, number]>([
    ["status 500 of the service", [DEFECT], { status: 500, errorCode: "UNEXPECTED_ERROR" }, 2],
    ["status 404", [{ status: 404 }], { status: 404 }, 2],
    ["nonces that are too old at once", Array(9).fill(STALE_NONCE), { code: "ERR_UNAVAILABLE", temporary: true }, 4],
  ])("is not repeated after %s", async (_, faults, failure, requests) => {
    const service = await openService({ faults });
    expect(await failureOf(openClient(service, { maxRetries: 3 }))).toMatchObject(failure);
    expect(service.requests).toHaveLength(requests);
  });

  it.each([
    ["120", 120],
    ["3600", 3600],
    [new Date(Date.now() + 3_600_000).toUTCString(), expect.closeTo(3600, -2)],
    ["86400", 86_400],
    ["86400 ", 86_400],
  ])("does not wait for a Retry-After of %s past timeoutSeconds", async (wait, retryAfterSeconds) => {
    const service = await openService({ faults: [{ status: 429, headers: { "Retry-After": wait } }] });
    const failure = await failureOf(openClient(service, { maxRetries: 3 }));
    const message = expect.stringMatching(
      /: too many requests; try again later, or read .*, Retry-After: (?:120|3[56]\d\d|86400) s\)/,
    );
    expect(failure).toMatchObject({ code: "ERR_RATE_LIMITED", retryAfterSeconds, message });
    expect(service.requests).toHaveLength(2);
  });

  it("counts a Retry-After that is a date from the date of its response", async () => {
    const headers = { Date: "Sun, 06 Nov 1994 08:49:37 GMT ", "Retry-After": "Sun, 06 Nov 1994 08:51:37 GMT " };
    const service = await openService({ faults: [{ status: 503, headers }] });
    const failure = await failureOf(openClient(service, { maxRetries: 3 }));
    expect(failure).toMatchObject({
      retryAfterSeconds: 120,
      message: expect.stringContaining(", Retry-After: 120 s)"),
    });
  });

  it("says of no Retry-After that it is 0 s", async () => {
    const service = await openService({ faults: [{ status: 503, headers: { "Retry-After": "0" } }] });
    expect(await failureOf(openClient(service))).toMatchObject({ message: expect.not.stringContaining("Retry-After") });
  });

  it("says how often it was tried, and how the attempt before has failed, if its time ends in a later one", async () => {
    const service = await openService({ faults: [DOWN, NEVER] });
    const ended = watch(openClient(service, { maxRetries: 3, timeoutSeconds: 10 }).get(MONITORING));
    await responded(2);
    await pass(500);
    await received(service, 4);
    await pass(9500);
    await until(() => ended.mock.calls.length > 0);
    const message = expect.stringMatching(
      /no response within 10 s; .* \(after 2 attempts\)\. See .*err_timeout\. The attempt before failed: the service, or a gateway .*, is overloaded .* \(status 503\)\.$/,
    );
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_TIMEOUT", message }));
  });

  it("tells of each retry with the reason, and of no other attempt", async () => {
    const service = await openService({ faults: [DOWN, { status: 429 }, { status: 404 }] });
    const onRetry = vi.fn();
    const ended = watch(openClientOfRun(service, { maxRetries: 3 }).get(MONITORING, { onRetry }));
    await responded(2);
    await pass(500);
    await responded(4);
    await pass(1000);
    await until(() => ended.mock.calls.length > 0);
    expect(onRetry.mock.calls).toEqual(
      [503, 429].map((status, index) => [index + 1, 3, expect.objectContaining({ status })]),
    );
  });

  it("tells of a retry of a host at which nothing listens by the code of the system", async () => {
    const service = await openService();
    await service.close();
    const onRetry = vi.fn();
    const ended = watch(openClientOfRun(service, { maxRetries: 1 }).get(MONITORING, { onRetry }));
    await until(() => onRetry.mock.calls.length > 0);
    await pass(1000);
    await until(() => ended.mock.calls.length > 0);
    expect(onRetry.mock.calls).toEqual([
      [1, 1, expect.objectContaining({ message: expect.stringContaining("(ECONNREFUSED") })],
    ]);
  });

  it("says how often it was tried, and has the cause of one that was tried once", async () => {
    const service = await openService();
    service.respondWith(() => ({ ...DOWN, body: "no healthy upstream (x, 1)" }));
    const failures = [];
    for (const [maxRetries, end] of [
      [0, "(status 503, no healthy upstream (x, 1))"],
      [2, "(status 503, no healthy upstream (x, 1), after 3 attempts)"],
    ] as const) {
      const ended = watch(openClient(service, { maxRetries }).get(MONITORING));
      while (ended.mock.calls.length === 0) {
        await setImmediate();
        await pass(100);
      }
      const [[failure] = []] = ended.mock.calls;
      expect(failure).toMatchObject({ status: 503, message: expect.stringContaining(`${end}. See`) });
      failures.push(errorFinding(failure).causeKey);
    }
    expect(new Set(failures).size).toBe(1);
  });

  it("says how often it was tried after a failed connection", async () => {
    const ended = watch(openClient({ baseUrl: "http://127.0.0.1:1" }, { maxRetries: 1 }).get(MONITORING));
    while (ended.mock.calls.length === 0) {
      await setImmediate();
      await pass(100);
    }
    const message = expect.stringContaining("(ECONNREFUSED, 127.0.0.1:1, after 2 attempts). See");
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ message }));
  });

  it("tells of a retry by what undici calls the failure, without its prefix", async () => {
    const service = await openService({ faults: [{ cutAfterBytes: 50 }] });
    const onRetry = vi.fn();
    const ended = watch(openClientOfRun(service, { maxRetries: 1 }).get(MONITORING, { onRetry }));
    await until(() => onRetry.mock.calls.length > 0);
    await pass(1000);
    await until(() => ended.mock.calls.length > 0);
    expect(onRetry.mock.calls).toEqual([
      [1, 1, expect.objectContaining({ message: expect.stringContaining("(UND_ERR_SOCKET)") })],
    ]);
  });

  it("is not said to need a higher limit than there is", async () => {
    const service = await openService({ faults: [NEVER] });
    const ended = watch(openClient(service, { timeoutSeconds: 3600 }).get(MONITORING));
    await received(service, 2);
    await pass(3_600_000);
    const message = expect.stringContaining("no response within 3600 s; check the network. See");
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_TIMEOUT", message }));
  });

  it.each(["1.5", "-1", "5,", "soon", "2026-11-21", "Sun, 32 Jan 2026 25:00:00 GMT"])(
    "ignores a Retry-After of %s",
    async (wait) => {
      const service = await openService({ faults: [{ status: 429, headers: { "Retry-After": wait } }] });
      expect(await failureOf(openClient(service))).toMatchObject({ retryAfterSeconds: undefined });
    },
  );
});

describe("a caller that gives up", () => {
  it("before its read is sent or while it is, gets its reason", async () => {
    const service = await openService({ faults: [NEVER] });
    const client = openClient(service);
    const reason = new Error("enough");
    await expect(client.get(MONITORING, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(service.requests).toHaveLength(0);
    const controller = new AbortController();
    const ended = watch(client.get(MONITORING, { signal: controller.signal }));
    await received(service, 2);
    controller.abort(reason);
    await until(() => ended.mock.calls.length > 0);
    expect(ended).toHaveBeenCalledWith(reason);
  });

  it("gets its reason behind a proxy, too, as it is", async () => {
    const service = await openService({ faults: [NEVER] });
    vi.stubEnv("http_proxy", (await startProxyStandIn()).origin);
    const controller = new AbortController();
    const ended = watch(openClient(service).get(MONITORING, { signal: controller.signal }));
    await received(service, 2);
    const reason = new AgentLogConfigError("ERR_TIMEOUT", "enough");
    const { stack } = reason;
    controller.abort(reason);
    await until(() => ended.mock.calls.length > 0);
    expect(ended.mock.calls[0]?.[0]).toBe(reason);
    expect(reason.stack).toBe(stack);
  });

  it("while its read waits for the first one gets its reason at once, and sends nothing", async () => {
    const service = await openService({ faults: [NEVER] });
    const client = openClient(service);
    watch(client.get(MONITORING));
    const controller = new AbortController();
    const ended = watch(client.get(MONITORING, { signal: controller.signal }));
    await received(service, 2);
    controller.abort(new Error("enough"));
    await until(() => ended.mock.calls.length > 0);
    expect(ended).toHaveBeenCalledWith(new Error("enough"));
    expect(service.requests).toHaveLength(2);
  });

  it("in the pause before a repetition sends nothing more, and leaves its connection to others", async () => {
    sendAtOnce();
    const service = await openService({ faults: ALL.map(() => DOWN) });
    const client = openClient(service, { maxRetries: 3 });
    const controller = new AbortController();
    const { signal } = controller;
    const ends = [...ALL, "waits"].map(() => watch(client.get(MONITORING, { signal })));
    await responded(32);
    await pass(499);
    // Each read keeps its connection in the pause, so that the last one is not sent over it.
    expect(service.requests).toHaveLength(32);
    const timers = vi.getTimerCount();
    controller.abort(new Error("enough"));
    // The sixteen pauses end at once.
    expect(vi.getTimerCount()).toBe(timers - 16);
    await pass(60_000);
    for (const ended of ends) expect(ended).toHaveBeenCalledWith(new Error("enough"));
    expect(await client.get(MONITORING)).toMatchObject({ logPath: LOG_PATH });
    expect(service.requests).toHaveLength(34);
  });

  it("leaves nothing behind at a signal that is used for many reads", async () => {
    const { signal } = new AbortController();
    const service = await openService({ faults: [DOWN] });
    const read = openClient(service, { maxRetries: 3 }).get(MONITORING, { signal });
    await responded(2);
    await pass(500);
    await read;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

it("a read is not repeated where the key is refused to others while it pauses", async () => {
  const service = await openService();
  const client = openClientOfRun(service, { maxRetries: 3 });
  await client.get(MONITORING);
  queueFaults(service, DOWN);
  const ended = watch(client.get(MONITORING));
  await responded(3);
  service.rotateKey("private-key-0002");
  await Promise.all([1, 2, 3].map(() => failureOf(client)));
  await pass(500);
  await until(() => ended.mock.calls.length > 0);
  expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_WRONG_KEY" }));
  expect(service.requests.filter(({ status }) => status === 503)).toHaveLength(1);
  expect(service.requests.at(-1)).toMatchObject({ status: 401 });
});

/** Reads so many projects, and returns what each ends with as far as it is known. */
function readProjects(client: AgentLogConfigClient, count: number, from = 0) {
  const ids = Array.from({ length: count }, (_, index) => (from + index).toString(16).padStart(24, "0"));
  return ids.map((projectId) => watch(client.get({ projectId, agent: "monitoring" })));
}

it("fails for each of 1,000 projects within 8 s where the service is silent and timeoutSeconds is 2", async () => {
  const service = await openService({ faults: Array(99).fill(NEVER) });
  const ends = readProjects(openClient(service, { maxRetries: 3, timeoutSeconds: 2 }), 1000);
  // The first read goes alone, then sixteen, then sixteen more, then those that were waiting for a connection of the first 32.
  for (const requests of [2, 34, 66, 94]) {
    await received(service, requests);
    await pass(2000);
  }
  for (const ended of ends) {
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_TIMEOUT", temporary: true }));
  }
  expect(service.requests).toHaveLength(94);
});

it("a challenge that stops in the middle is answered over another connection", async () => {
  const server = createHttpServer(({ headers }, response) => {
    if (headers.authorization === undefined) {
      response.writeHead(401, { "WWW-Authenticate": 'Digest realm="r", nonce="n", op="auth"' }).write("begin");
    } else response.end('{"logPath":"/l"}');
  });
  const client = openClient({ baseUrl: `http://127.0.0.1:${await listen(server)}` }, { timeoutSeconds: 3600 });
  const ended = watch(client.get(MONITORING));
  while (ended.mock.calls.length === 0) {
    await setImmediate();
    await pass(500);
  }
  expect(ended).toHaveBeenCalledWith(expect.objectContaining({ logPath: "/l" }));
});

describe.each([
  {
    way: "over TLS",
    says: /: it does not respond; check baseUrl, the network and firewalls \(UND_ERR_CONNECT_TIMEOUT\)/,
  },
  {
    way: "through a proxy",
    says: /: the proxy 127\.0\.0\.1:\d+ opens no tunnel to the service in time; check the host and the port of baseUrl, /,
  },
  {
    way: "through a tunnel",
    says: /: it does not respond; check baseUrl, .*\(UND_ERR_CONNECT_TIMEOUT, through the proxy 127\.0\.0\.1:\d+\)/,
  },
])("a connection that has no socket yet, $way,", ({ way, says }) => {
  /** Leads to a service that says nothing until it is healthy: the listener, the proxy or the end of its tunnel never answers. */
  async function openSilent() {
    const state = { isHealthy: false, opened: 0, closed: 0 };
    const healthy = await openService({ tls: TLS });
    const proxy = await startProxyStandIn();
    const target = Number(new URL(way === "through a proxy" ? proxy.origin : healthy.baseUrl).port);
    const sockets = new Set<Socket>();
    const relay = createServer((near) => {
      state.opened += 1;
      sockets.add(near);
      near
        .on("error", () => {})
        .on("close", () => {
          state.closed += 1;
        });
      if (!state.isHealthy) return void near.resume();
      const far = createConnection(target, "127.0.0.1").on("error", () => {});
      near.pipe(far).pipe(near);
      near.on("close", () => far.destroy());
    });
    const port = await listen(relay);
    if (way === "through a proxy") vi.stubEnv("https_proxy", `http://127.0.0.1:${port}`);
    if (way === "through a tunnel") vi.stubEnv("https_proxy", proxy.origin);
    const baseUrl = way === "through a proxy" ? healthy.baseUrl : `https://127.0.0.1:${port}`;
    return {
      client: openClient({ baseUrl }, { caCertificate: CA_FILE, timeoutSeconds: 5 }),
      state,
      relay: { sockets },
    };
  }

  it.each([1, 16])("is replaced where %i reads at once are given up, or their time is over", async (reads) => {
    sendAtOnce();
    const { client, state } = await openSilent();
    const readAll = (signal?: AbortSignal) =>
      Array.from({ length: reads }, () => watch(client.get(MONITORING, { signal })));
    const controller = new AbortController();
    const givenUp = readAll(controller.signal);
    await until(() => state.opened === reads);
    controller.abort(new Error("enough"));
    await until(() => state.closed === reads);
    for (const ended of givenUp) expect(ended).toHaveBeenCalledWith(new Error("enough"));
    const late = readAll();
    await until(() => state.opened === 2 * reads);
    await pass(5000);
    await until(() => late.every(({ mock }) => mock.calls.length > 0));
    const message = expect.stringMatching(says);
    const unreached = expect.objectContaining({ code: "ERR_CONNECTION", temporary: true, message });
    for (const ended of late) expect(ended).toHaveBeenCalledWith(unreached);
    state.isHealthy = true;
    const read = readAll();
    await until(() => read.every(({ mock }) => mock.calls.length > 0));
    for (const ended of read) expect(ended).toHaveBeenCalledWith(expect.objectContaining({ logPath: LOG_PATH }));
  });

  it("is called unreached, although the one before was open", async () => {
    const { client, state, relay } = await openSilent();
    state.isHealthy = true;
    await client.get(MONITORING);
    state.isHealthy = false;
    for (const near of relay.sockets) near.destroy();
    await until(() => state.closed === state.opened);
    const late = watch(client.get(MONITORING));
    await until(() => state.opened > state.closed);
    await pass(5000);
    await until(() => late.mock.calls.length > 0);
    const message = expect.stringMatching(says);
    expect(late).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_CONNECTION", message }));
  });

  it("ends with its client", async () => {
    const { client, state } = await openSilent();
    const controller = new AbortController();
    const ended = watch(client.get(MONITORING, { signal: controller.signal }));
    await until(() => state.opened === 1);
    controller.abort(new Error("enough"));
    await client.close();
    expect(ended).toHaveBeenCalledWith(new Error("enough"));
    await until(() => state.closed === 1);
  });
});
