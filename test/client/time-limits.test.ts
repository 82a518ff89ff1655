import dns from "node:dns";
import { getEventListeners } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type AgentLogConfigClient, AgentLogConfigError } from "../../sdk/client/index.ts";
import { listen } from "../servers/listen.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { LOG_PATH, MONITORING, openClient, openService } from "./open-client.ts";
import { ALL, DOWN, NEVER, pass, received, responded, sendAtOnce, stopTime, until, watch } from "./stop-time.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";

stopTime();

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

  it("is not said to need a higher limit than there is", async () => {
    const service = await openService({ faults: [NEVER] });
    const ended = watch(openClient(service, { timeoutSeconds: 3600 }).get(MONITORING));
    await received(service, 2);
    await pass(3_600_000);
    const message = expect.stringContaining("no response within 3600 s; check the network. See");
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "ERR_TIMEOUT", message }));
  });
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
