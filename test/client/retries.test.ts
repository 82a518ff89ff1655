import dns from "node:dns";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { errorFinding } from "../../sdk/findings/finding.ts";
import { listen } from "../servers/listen.ts";
import { type Fault, queueFaults, STALE_NONCE } from "../testing/queue-faults.ts";
import { failureOf, LOG_PATH, MONITORING, openClient, openClientOfRun, openService } from "./open-client.ts";
import { DOWN, endOf, NEVER, pass, received, responded, seen, stopTime, until, watch } from "./stop-time.ts";

stopTime();

const DEFECT: Fault = { status: 500, body: '{"error":500,"errorCode":"UNEXPECTED_ERROR"}' };

describe("a read", () => {
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

  // Spring Cloud Gateway sends it while the service restarts.
  it("is repeated after status 500 of a gateway", async () => {
    const body = '{"path":"/","status":500,"error":"Internal Server Error"}';
    const service = await openService({ faults: [{ status: 500, body }] });
    expect(await endOf(openClient(service, { maxRetries: 1 }).get(MONITORING))).toMatchObject({ logPath: LOG_PATH });
  });

  it("is repeated over the same connection after a rate limit, which would count another challenge", async () => {
    const service = await openService({ faults: [{ status: 429 }] });
    await endOf(openClient(service, { maxRetries: 1 }).get(MONITORING));
    expect(service.requests.map(({ status }) => status)).toEqual([401, 429, 200]);
  });

  it("says nothing of the attempt before where it fails by itself", async () => {
    const service = await openService({ faults: [{ status: 502 }, { status: 404 }] });
    const message = expect.not.stringContaining("The attempt before failed");
    const failure = await endOf(openClient(service, { maxRetries: 1 }).get(MONITORING));
    expect(failure).toMatchObject({ status: 404, message });
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
    expect(await endOf(openClient({ baseUrl }, { maxRetries: 1 }).get(MONITORING))).toMatchObject({
      logPath: LOG_PATH,
    });
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
    await endOf(openClientOfRun(service, { maxRetries: 3 }).get(MONITORING, { onRetry }));
    expect(onRetry.mock.calls).toEqual(
      [503, 429].map((status, index) => [index + 1, 3, expect.objectContaining({ status })]),
    );
  });

  it("says how often it was tried, and has the cause of one that was tried once", async () => {
    const service = await openService();
    service.respondWith(() => ({ ...DOWN, body: "no healthy upstream (x, 1)" }));
    const failures = [];
    for (const [maxRetries, end] of [
      [0, "(status 503, no healthy upstream (x, 1))"],
      [2, "(status 503, no healthy upstream (x, 1), after 3 attempts)"],
    ] as const) {
      const failure = await endOf(openClient(service, { maxRetries }).get(MONITORING));
      expect(failure).toMatchObject({ status: 503, message: expect.stringContaining(`${end}. See`) });
      failures.push(errorFinding(failure).causeKey);
    }
    expect(new Set(failures).size).toBe(1);
  });

  it.each(["1.5", "-1", "5,", "soon", "2026-11-21", "Sun, 32 Jan 2026 25:00:00 GMT"])(
    "ignores a Retry-After of %s",
    async (wait) => {
      const service = await openService({ faults: [{ status: 429, headers: { "Retry-After": wait } }] });
      expect(await failureOf(openClient(service))).toMatchObject({ retryAfterSeconds: undefined });
    },
  );
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

it("a challenge that stops in the middle is answered over another connection", async () => {
  const server = createHttpServer(({ headers }, response) => {
    if (headers.authorization === undefined) {
      response.writeHead(401, { "WWW-Authenticate": 'Digest realm="r", nonce="n", op="auth"' }).write("begin");
    } else response.end('{"logPath":"/l"}');
  });
  const client = openClient({ baseUrl: `http://127.0.0.1:${await listen(server)}` }, { timeoutSeconds: 3600 });
  expect(await endOf(client.get(MONITORING))).toMatchObject({ logPath: "/l" });
});
