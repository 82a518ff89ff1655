import * as pulumi from "@pulumi/pulumi";
import { expect, it, onTestFinished, vi } from "vitest";
import { HeldFailures } from "../../sdk/program/held-failures.ts";
import * as sdk from "../../sdk/program/private-sdk.ts";

/** A program that the CLI runs, and what Node.js calls when it has nothing left to do. */
function openProgram() {
  const before = process.listeners("beforeExit");
  const failures = new HeldFailures();
  const added = () => process.listeners("beforeExit").filter((listener) => !before.includes(listener));
  onTestFinished(() => {
    for (const listener of added()) process.off("beforeExit", listener);
  });
  const drain = () => {
    for (const listener of added()) listener(0);
    return settled();
  };
  return { failures, drain };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Holds a resource that fails, and collects what it reports once it is released. */
function hold(failures: HeldFailures, name: string, message: string, cause = message) {
  const seen: { lines: readonly string[] | undefined } = { lines: undefined };
  failures.hold(name, [{ message, cause }]).then((told) => {
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

it("reports 50 causes, and how many more there are, because each of the resources carries them", async () => {
  const { failures, drain } = openProgram();
  const listeners = process.listenerCount("beforeExit");
  const [first] = Array.from({ length: 60 }, (_, index) => hold(failures, `r${index}`, `${index}.`));
  // Node.js warns of more than ten.
  expect(process.listenerCount("beforeExit")).toBe(listeners + 1);
  await drain();
  expect(first?.lines).toHaveLength(51);
  expect(first?.lines?.at(-1)).toBe("There are 10 more reasons why resources fail.");
});

it("leaves a resource to the program that has told its only cause and fails for it", async () => {
  const { failures, drain } = openProgram();
  failures.reported.add("missing");
  const [silent, other] = [hold(failures, "a", "It is missing.", "missing"), hold(failures, "b", "Two.")];
  await drain();
  expect([silent.lines, other.lines?.[0]]).toEqual([undefined, "Two."]);
});

it("is released in an inline program, which has no end, once nothing has happened for 5 s, and needs no timer before", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.spyOn(sdk, "runsInline").mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const failures = new HeldFailures();
  failures.noteRegistration({ urn: pulumi.output("urn") });
  expect(vi.getTimerCount()).toBe(0);
  const registered = Promise.withResolvers<string>();
  const seen = hold(failures, "a", "One.");
  await vi.advanceTimersByTimeAsync(4_000);
  failures.noteRegistration({ urn: pulumi.output(registered.promise) });
  await vi.advanceTimersByTimeAsync(4_000);
  registered.resolve("urn");
  await vi.advanceTimersByTimeAsync(4_999);
  expect(seen.lines).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(seen.lines).toEqual(["One."]);
});
