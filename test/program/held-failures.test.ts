import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HeldFailures } from "../../sdk/program/held-failures.ts";

/** A program that the CLI runs, and what Node.js calls when it has nothing left to do. */
function openProgram() {
  const failures = new HeldFailures();
  const drain = () => {
    process.emit("beforeExit", 0);
    return settled();
  };
  return { failures, drain };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Holds a resource that fails, and collects what it reports once it is released. */
function hold(failures: HeldFailures, name: string, message: string, cause = message) {
  const seen: { lines: readonly string[] | undefined } = { lines: undefined };
  failures.note(name, [{ message, cause }]);
  failures.hold(name).then((told) => {
    seen.lines = told.map((each) => each.message);
  });
  return seen;
}

it("releases all when nothing is left to do, each with its own failure first and those of all others", async () => {
  const { failures, drain } = openProgram();
  const held = [hold(failures, "a", "One."), hold(failures, "b", "Two."), hold(failures, "c", "One.")];
  await settled();
  expect(held).toEqual(Array(3).fill({ lines: undefined }));
  await drain();
  expect(held.map(({ lines }) => lines)).toEqual([
    ["One. The same applies to c.", "b: Two."],
    ["Two.", "a: One. The same applies to c."],
    ["One. The same applies to a.", "b: Two."],
  ]);
});

it("holds nothing after the end, when those that waited for others are read", async () => {
  const { failures, drain } = openProgram();
  hold(failures, "a", "One.");
  await drain();
  const later = hold(failures, "b", "Two.");
  await settled();
  expect(later.lines).toEqual(["Two.", "a: One."]);
});

it("holds one that only may fail, which reports for the others, and which no other one names", async () => {
  const { failures, drain } = openProgram();
  const certain = hold(failures, "a", "One.");
  const told = failures.hold("b");
  await drain();
  expect(certain.lines).toEqual(["One."]);
  expect(await told).toMatchObject([{ message: "a: One." }]);
});

it("reports 50 causes, and how many more there are, because each of the resources carries them", async () => {
  const { failures, drain } = openProgram();
  const [first] = Array.from({ length: 60 }, (_, index) => hold(failures, `r${index}`, `${index}.`));
  await drain();
  expect(first?.lines).toHaveLength(51);
  expect(first?.lines?.at(-1)).toBe("There are 10 more reasons why resources fail.");
});

describe("in a program that never ends, such as an inline one or one with an open server", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("is released once no read is under way and none has been asked for for 10 s, and needs no timer before", async () => {
    const failures = new HeldFailures();
    const slow = Promise.withResolvers<void>();
    const read = failures.during(() => slow.promise);
    const seen = hold(failures, "a", "One.");
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect([seen.lines, vi.getTimerCount()]).toEqual([undefined, 0]);
    slow.resolve();
    await read;
    await vi.advanceTimersByTimeAsync(9_000);
    const another = Promise.withResolvers<void>();
    const next = failures.during(() => another.promise);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen.lines).toBeUndefined();
    another.resolve();
    await next;
    await vi.advanceTimersByTimeAsync(9_999);
    expect(seen.lines).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.lines).toEqual(["One."]);
  });

  it("counts a read that fails as ended", async () => {
    const failures = new HeldFailures();
    await failures.during(() => Promise.reject(new Error("No."))).catch(() => {});
    const seen = hold(failures, "a", "One.");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(seen.lines).toEqual(["One."]);
  });
});

it("does not keep a process alive that has nothing else to do", () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const before = timers();
  hold(new HeldFailures(), "a", "One.");
  expect(timers()).toBe(before);
});
