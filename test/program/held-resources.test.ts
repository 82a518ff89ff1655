import * as pulumi from "@pulumi/pulumi";
import { expect, it, onTestFinished, vi } from "vitest";
import { HeldResources } from "../../sdk/program/held-resources.ts";
import * as sdk from "../../sdk/program/private-sdk.ts";

/** A program that the CLI runs, and what Node.js calls when it has nothing left to do. */
function openProgram() {
  const before = process.listeners("beforeExit");
  const failures = new HeldResources();
  const added = process.listeners("beforeExit").filter((listener) => !before.includes(listener));
  const drop = () => {
    for (const listener of added) process.off("beforeExit", listener);
  };
  onTestFinished(drop);
  const drain = () => {
    for (const listener of added) listener(0);
    return settled();
  };
  return { failures, drain };
}

/** Outputs pass a value on after some turns. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A resource, and what registers it. */
function makeResource() {
  const { promise, resolve } = Promise.withResolvers<string>();
  const register = () => {
    resolve("urn");
    return settled();
  };
  return { urn: pulumi.output(promise), register };
}

/** Holds a resource that fails, and tells what it reports of others once it is released. */
function hold(failures: HeldResources, name: string, sentence: string, isCertain = true) {
  const resource = makeResource();
  const seen: { others: readonly string[] | undefined } = { others: undefined };
  failures.watch(resource);
  failures.hold(resource, [{ name, sentence, cause: sentence }], isCertain).then((others) => {
    seen.others = others;
  });
  return { ...resource, seen };
}

it("is released when nothing is left to do, and reports all others", async () => {
  const { failures, drain } = openProgram();
  const held = [hold(failures, "a", "One."), hold(failures, "b", "Two."), hold(failures, "c", "One.")];
  const othersOf = () => held.map(({ seen }) => seen.others);
  await settled();
  expect(othersOf()).toEqual([undefined, undefined, undefined]);
  await drain();
  expect(othersOf()).toEqual([["The same is true of 1 more: c.", "b: Two."], undefined, undefined]);
});

it("is followed by the next one where it turns out not to fail, and by those that are held after the end", async () => {
  const { failures, drain } = openProgram();
  const [first, second] = [hold(failures, "a", "One."), hold(failures, "b", "Two.")];
  await drain();
  await first.register();
  expect(second.seen.others).toEqual([]);
  await second.register();
  const later = hold(failures, "c", "Three.");
  await settled();
  expect(later.seen.others).toEqual([]);
});

it("is reported in the order in which the reads began, whichever fails first", async () => {
  const { failures, drain } = openProgram();
  const resources = ["a", "b", "c"].map((name) => ({ name, resource: makeResource() }));
  for (const { resource } of resources) failures.watch(resource);
  const [, , last] = resources
    .toReversed()
    .map(({ name, resource }) => failures.hold(resource, [{ name, sentence: name, cause: name }], true));
  await drain();
  expect(await last).toEqual(["b: b", "c: c"]);
});

it("names up to 50 resources of one cause", async () => {
  const { failures, drain } = openProgram();
  const [first] = Array.from({ length: 61 }, (_, index) => hold(failures, `p${index}`, "One."));
  await drain();
  expect(first?.seen.others).toEqual([
    expect.stringMatching(/^The same is true of 60 more: p1, .*p50 and 10 others\.$/),
  ]);
});

it("throws what it holds where a second end comes, since the engine would delete that", async () => {
  const { failures, drain } = openProgram();
  hold(failures, "a", "One.");
  hold(failures, "b", "Two.");
  await drain();
  expect(drain).toThrow("b: Two.");
});

it.each([
  {
    description: "are registered",
    settle: (_: HeldResources, reading: ReturnType<typeof makeResource>) => reading.register(),
  },
  {
    description: "are held too",
    settle: (failures: HeldResources, reading: ReturnType<typeof makeResource>) => {
      void failures.hold(reading, [{ name: "b", sentence: "Two.", cause: "Two." }], true);
      return settled();
    },
  },
])("that may have a record goes on once all that are being read $description", async ({ settle }) => {
  const { failures } = openProgram();
  const reading = makeResource();
  failures.watch(reading);
  const possible = hold(failures, "a", "One.", false);
  await settled();
  expect(possible.seen.others).toBeUndefined();
  await settle(failures, reading);
  expect(possible.seen.others).toBeDefined();
});

it("that may have a record goes on one after the other, and reports those that are left and what fails", async () => {
  const { failures } = openProgram();
  const reading = makeResource();
  failures.watch(reading);
  hold(failures, "certain", "Certain.");
  const [first, second] = ["a", "b", "c"].map((name) => hold(failures, name, "One.", false));
  await reading.register();
  const left = (names: string) => `${names} This is a failure as well where nothing is recorded.`;
  expect(first?.seen.others).toEqual(["certain: Certain.", left("2 fail alike: b, c. One.")]);
  expect(second?.seen.others).toBeUndefined();
  await first?.register();
  expect(second?.seen.others).toEqual(["certain: Certain.", left("c: One.")]);
});

it("that may have a record goes before those that fail", async () => {
  const { failures, drain } = openProgram();
  failures.watch(makeResource());
  const [certain, possible] = [hold(failures, "a", "One."), hold(failures, "b", "Two.", false)];
  await drain();
  expect([certain.seen.others, possible.seen.others]).toEqual([undefined, ["a: One."]]);
  await possible.register();
  expect(certain.seen.others).toEqual([]);
});

it("is released in an inline program, which has no end, once nothing has happened for 5 s", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.spyOn(sdk, "runsInline").mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const failures = new HeldResources();
  const { seen } = hold(failures, "a", "One.");
  await vi.advanceTimersByTimeAsync(4_000);
  failures.watch(makeResource());
  await vi.advanceTimersByTimeAsync(4_999);
  expect(seen.others).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(seen.others).toEqual([]);
  // What waits for another one that is held goes on all the same.
  const { seen: next } = hold(failures, "b", "Two.");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(next.others).toEqual([]);
});

it("needs no timer where nothing fails", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { failures } = openProgram();
  failures.watch(makeResource());
  expect(vi.getTimerCount()).toBe(0);
});
