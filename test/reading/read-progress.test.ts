import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ReadProgress } from "../../sdk/reading/settings-reader.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const elapse = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

/** Begins reads that each take so many seconds. */
function begin(...seconds: readonly number[]) {
  const shown: string[] = [];
  const progress = new ReadProgress((text) => shown.push(text));
  const read = (end: number) => progress.during(() => new Promise((resolve) => setTimeout(resolve, end * 1000)));
  return { shown, progress, reads: seconds.map(read), read };
}

it("says nothing of reads that end within three seconds, one after the other, too", async () => {
  const { shown, read } = begin(2.9);
  await elapse(2.9);
  void read(2.9);
  await elapse(2.9);
  expect(shown).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it("says after three seconds and then every five how many have ended, until all have", async () => {
  const { shown } = begin(1, 14, 14);
  await elapse(2.999);
  expect(shown).toEqual([]);
  await elapse(0.001);
  expect(shown).toEqual(["1/3 read"]);
  await elapse(4.999);
  expect(shown).toHaveLength(1);
  await elapse(5.002);
  expect(shown).toEqual(Array.from({ length: 3 }, () => "1/3 read"));
  await elapse(60);
  expect(shown).toEqual([...Array.from({ length: 3 }, () => "1/3 read"), "3/3 read"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("says it again when a read ends, but at most once a second", async () => {
  const delays: number[] = [];
  const { setTimeout: set } = globalThis;
  vi.stubGlobal("setTimeout", (callback: () => void, milliseconds: number) => {
    delays.push(milliseconds);
    return set(callback, milliseconds);
  });
  const { shown, read } = begin(3.2, 3.4, 5.5, 6);
  await elapse(3.999);
  expect(shown).toEqual(["no response yet, 0/4 read"]);
  await elapse(0.001);
  expect(shown).toEqual(["no response yet, 0/4 read", "2/4 read"]);
  await elapse(1.6);
  expect(shown.at(-1)).toBe("3/4 read");
  await elapse(60);
  expect(shown).toEqual(["no response yet, 0/4 read", "2/4 read", "3/4 read", "4/4 read"]);
  // Node.js warns of a negative number.
  expect(delays.filter((milliseconds) => milliseconds < 0)).toEqual([]);
  vi.unstubAllGlobals();
  // What is read later has its own three seconds.
  void read(2.9);
  await elapse(60);
  expect(shown).toHaveLength(4);
});

it("says why a read is tried again, as long as it has not ended, also if it fails", async () => {
  const { shown, progress } = begin(20);
  const failure = new Error("down");
  const failing = progress.during(async (onRetry) => {
    onRetry("retry 1/5 (503)");
    await elapse(4);
    onRetry("retry 2/5 (503)");
    await elapse(5);
    throw failure;
  });
  await expect(failing).rejects.toBe(failure);
  await elapse(5);
  expect(shown).toEqual(["retry 1/5 (503), 0/2 read", "retry 2/5 (503), 0/2 read", "0/2 read", "0/2 read"]);
});

it("says of one agent why it is tried again, at the beginning of the line", async () => {
  const { shown, progress } = begin();
  const read = progress.during(async (onRetry) => {
    await elapse(4);
    onRetry("retry 1/5 (ECONNREFUSED)");
    await elapse(5);
  });
  await read;
  expect(shown).toEqual(["no response yet", "retry 1/5 (ECONNREFUSED)"]);
});

it.each([
  [20, "retry 3/5 (503)", "retry 3/5 (503), 0/20 read"],
  [20, "retry 3/5 (SELF_SIGN)", "retry 3/5 (SELF_SIGN), 0/20 read"],
  [20, "retry 3/5 (SELF_SIGNX)", "SELF_SIGNX, 0/20 read"],
  [20, "retry 3/5 (ECONNREFUSED)", "ECONNREFUSED, 0/20 read"],
  [1000, "retry 10/10 (ECONNREFUSED)", "ECONNREFUSED, 0/1000 read"],
  [1, "retry 10/10 (CONNECT_TIMEOUT)", "retry 10/10 (CONNECT_TIMEOUT)"],
])("fits what a terminal leaves, and ends with how many have ended: of %i, %s", async (count, retry, expected) => {
  const { shown, progress } = begin();
  const pending = Promise.withResolvers<void>();
  const reads = Array.from({ length: count }, () =>
    progress.during(async (onRetry) => {
      onRetry(retry);
      await pending.promise;
    }),
  );
  await elapse(3);
  expect(shown).toEqual([expected]);
  expect(expected.length).toBeLessThanOrEqual(32);
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
