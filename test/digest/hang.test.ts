import { execFileSync } from "node:child_process";
import type { Dispatcher } from "undici";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { digestFor, openDigestAgent, readStatus } from "./digest-agent.ts";
import { acceptWith, refuse, startScriptedServer } from "./digest-server.ts";
import type { LocalServer, SeenRequest } from "./local-server.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Starts a server that asks for credentials and never responds to the first requests of one kind. */
async function startHanging(count: number, hangs: (seen: SeenRequest) => boolean): Promise<LocalServer> {
  let hung = 0;
  return await startScriptedServer((seen, response) => {
    if (hung < count && hangs(seen)) hung += 1;
    else if (seen.headers.authorization === undefined)
      refuse('Digest realm="r", nonce="n", qop="auth"')(seen, response);
    else acceptWith({})(seen, response);
  });
}

const HANGING = [
  { description: "the first probe hangs", count: 1, hangs: () => true },
  {
    description: "the first request with credentials hangs",
    count: 1,
    hangs: (seen: SeenRequest) => seen.headers.authorization !== undefined,
  },
  { description: "the first seven probes hang", count: 7, hangs: () => true },
];

test.for(HANGING)("all other reads of 40 succeed: $description", async ({ count, hangs }) => {
  const server = await startHanging(count, hangs);
  const agent = openDigestAgent(server);
  let succeeded = 0;
  const reads = Array.from({ length: 40 }, async () => {
    if ((await readStatus(agent, server.origin)) === 200) succeeded += 1;
  });
  const all = Promise.allSettled(reads);
  while (succeeded < 40 - count) {
    await vi.advanceTimersByTimeAsync(500);
    await new Promise(setImmediate);
  }
  await agent.destroy();
  await all;
  expect(succeeded).toBe(40 - count);
});

test("a read that is made later does not wait for a probe that hangs", async () => {
  const server = await startHanging(1, () => true);
  const agent: Dispatcher = openDigestAgent(server);
  const first = readStatus(agent, server.origin).catch(() => {});
  const second = readStatus(agent, server.origin);
  await server.reached(1);
  await vi.advanceTimersByTimeAsync(500);
  expect([await second, await readStatus(agent, server.origin)]).toEqual([200, 200]);
  await agent.destroy();
  await first;
});

test("the timer runs as long as requests wait", async () => {
  const sent: Dispatcher.DispatchHandler[] = [];
  const origin = "http://127.0.0.1";
  const dispatch = digestFor({ origin })((_, handler) => sent.push(handler) > 0);
  for (const _ of [1, 2]) dispatch({ origin, path: "/", method: "GET" }, { onRequestStart() {} });
  expect([sent.length, vi.getTimerCount()]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(500);
  expect([sent.length, vi.getTimerCount()]).toEqual([2, 0]);
});

test("a request that waits does not keep the process alive", () => {
  const program = `
    import { digest } from ${JSON.stringify(new URL("../../sdk/digest/index.ts", import.meta.url))};
    const origin = "http://127.0.0.1";
    const dispatch = digest({ username: "u", password: "p", origins: [origin] })(() => true);
    for (const _ of [1, 2]) dispatch({ origin, path: "/", method: "GET" }, { onRequestStart() {} });
  `;
  const options = { timeout: 30_000, stdio: "pipe" } as const;
  expect(() => execFileSync(process.execPath, ["--input-type=module", "-e", program], options)).not.toThrow();
});
