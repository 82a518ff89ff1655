import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AgentLogConfigError } from "../../sdk/model/errors.ts";
import { ReadProgress } from "../../sdk/reading/read-progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const elapse = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

const DOWN = new AgentLogConfigError("ERR_UNAVAILABLE", "down", {
  status: 503,
  evidence: ["status 503", "no upstream"],
});
const SILENT = new AgentLogConfigError("ERR_TIMEOUT", "silent", { evidence: ["through the proxy p:3128"] });
const unconnected = (code: string) =>
  new AgentLogConfigError("ERR_CONNECTION", "refused", { evidence: [code, "127.0.0.1:1"] });

/** Begins reads that each take so many seconds. */
function begin(seconds: readonly number[], isTotalKnown?: boolean) {
  const shown: string[] = [];
  const progress = new ReadProgress((text) => shown.push(text), isTotalKnown);
  const read = (end: number) => progress.during(() => new Promise((resolve) => setTimeout(resolve, end * 1000)));
  return { shown, progress, reads: seconds.map(read), read };
}

it("says nothing of reads that end within three seconds, one after the other, too", async () => {
  const { shown, read } = begin([2.9]);
  await elapse(2.9);
  void read(2.9);
  await elapse(2.9);
  expect(shown).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it("says after three seconds how many have ended, and later only what is new, at most once a second", async () => {
  const { shown, read } = begin([1, 3.2, 3.4, 9.5, 60, 60]);
  await elapse(2.999);
  expect(shown).toEqual([]);
  await elapse(0.001);
  expect(shown).toEqual(["1/6 read"]);
  await elapse(0.999);
  expect(shown).toHaveLength(1);
  await elapse(50);
  expect(shown).toEqual(["1/6 read", "3/6 read", "4/6 read"]);
  await elapse(60);
  expect(shown).toEqual(["1/6 read", "3/6 read", "4/6 read", "6/6 read"]);
  expect(vi.getTimerCount()).toBe(0);
  // What is read later has its own three seconds.
  void read(2.9);
  await elapse(60);
  expect(shown).toHaveLength(4);
});

it("says how many have failed and why, and before the first failure why a read is tried again", async () => {
  const { shown, progress } = begin([1]);
  const fail = (seconds: number) =>
    progress.during(async (onRetry) => {
      onRetry(1, 5, DOWN);
      await elapse(seconds);
      throw DOWN;
    });
  const failing = [fail(4), fail(8)].map((read) => read.catch((error: unknown) => error));
  await elapse(20);
  expect(await Promise.all(failing)).toEqual([DOWN, DOWN]);
  expect(shown).toEqual(["1/3 read, retrying (503)", "1/3 read, 1 failed (503)", "1/3 read, 2 failed (503)"]);
});

it("keeps the cause of failures apart from that of retries", async () => {
  const { shown, progress } = begin([]);
  const limited = new AgentLogConfigError("ERR_RATE_LIMITED", "limited", { status: 429 });
  const failing = progress.during(async () => {
    throw DOWN;
  });
  void progress.during(async (onRetry) => {
    onRetry(1, 5, limited);
    await elapse(9);
  });
  await expect(failing).rejects.toBe(DOWN);
  await elapse(9);
  expect(shown).toEqual(["0/2 read, 1 failed (503)", "1/2 read, 1 failed (503)"]);
});

it("says nothing of a retry that has helped", async () => {
  const { shown, progress } = begin([20]);
  void progress.during(async (onRetry) => {
    onRetry(1, 5, DOWN);
    await elapse(4);
  });
  await elapse(30);
  expect(shown).toEqual(["0/2 read, retrying (503)", "1/2 read", "2/2 read"]);
});

it("says of one agent alone that there is no response, and why and how often it is tried again", async () => {
  const { shown, progress } = begin([]);
  const read = progress.during(async (onRetry) => {
    await elapse(9);
    onRetry(1, 5, unconnected("ECONNREFUSED"));
    await elapse(9);
  });
  await read;
  expect(shown).toEqual(["no response yet", "retry 1/5 (ECONNREFUSED)"]);
});

it("does not say of how many it is one that the engine asks for as it goes", async () => {
  const { shown } = begin([3.5, 9], false);
  await elapse(10);
  expect(shown).toEqual(["0 read", "1 read", "2 read"]);
});

it.each([
  [20, DOWN, "0/20 read, retrying (503)"],
  [20, SILENT, "0/20 read, retrying (TIMEOUT)"],
  [20, unconnected("ECONNREFUSED"), "0/20 read, retrying (ECONNREFUSED)"],
  [1, unconnected("UND_ERR_CONNECT_TIMEOUT"), "retry 10/10 (CONNECT_TIMEOUT)"],
])("names the cause in one word: of %i, %o", async (count, error, expected) => {
  const { shown, progress } = begin([]);
  const pending = Promise.withResolvers<void>();
  const reads = Array.from({ length: count }, () =>
    progress.during(async (onRetry) => {
      onRetry(10, 10, error);
      await pending.promise;
    }),
  );
  await elapse(3);
  expect(shown).toEqual([expected]);
  pending.resolve();
  await Promise.allSettled(reads);
});

it("keeps no process alive", async () => {
  vi.useRealTimers();
  const pending = Promise.withResolvers<void>();
  const unref = vi.spyOn(Object.getPrototypeOf(setTimeout(() => {}, 0).unref()), "unref");
  const read = new ReadProgress(() => {}).during(() => pending.promise);
  expect(unref).toHaveBeenCalledTimes(1);
  unref.mockRestore();
  pending.resolve();
  await read;
});
