import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HeldFailures } from "../../sdk/program/held-failures.ts";
import { failure } from "../../sdk/shared/group-failures.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A resource, and what registers it. */
function makeResource() {
  const { promise, resolve } = Promise.withResolvers<string>();
  const registered = async () => {
    resolve("urn");
    // The Output passes it on after some turns.
    await vi.advanceTimersByTimeAsync(0);
  };
  return { urn: pulumi.output(promise), registered };
}

/** Holds a resource that fails, and tells what it reports of others once it is released. */
function hold(failures: HeldFailures, name: string, ...sentences: readonly string[]) {
  const resource = makeResource();
  const seen: { others: readonly string[] | undefined } = { others: undefined };
  failures.watch(resource, "independent");
  failures.hold(resource, name, sentences.map(failure)).then((others) => {
    seen.others = others;
  });
  return { ...resource, seen };
}

describe("a failing resource", () => {
  it.each([
    { kind: "independent", milliseconds: 30_000 },
    { kind: "dependent", milliseconds: 2_000 },
  ] as const)("waits $milliseconds ms for one that is $kind and not registered", async ({ kind, milliseconds }) => {
    const failures = new HeldFailures();
    failures.watch(makeResource(), kind);
    const { seen } = hold(failures, "a", "It failed.");
    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    expect(seen.others).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.others).toEqual([]);
  });

  it("waits for reads that start now where nothing else is left", async () => {
    const failures = new HeldFailures();
    const { seen } = hold(failures, "a", "It failed.");
    await vi.advanceTimersByTimeAsync(249);
    expect(seen.others).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.others).toEqual([]);
  });

  it("waits anew with each registration, and no longer once all are registered", async () => {
    const failures = new HeldFailures();
    const others = [makeResource(), makeResource()];
    for (const other of others) failures.watch(other, "independent");
    const { seen } = hold(failures, "a", "It failed.");
    await vi.advanceTimersByTimeAsync(29_000);
    await others[0]?.registered();
    await vi.advanceTimersByTimeAsync(29_000);
    expect(seen.others).toBeUndefined();
    await others[1]?.registered();
    await vi.advanceTimersByTimeAsync(250);
    expect(seen.others).toEqual([]);
  });

  it("waits only for dependent ones once the independent ones are registered", async () => {
    const failures = new HeldFailures();
    const independent = makeResource();
    failures.watch(independent, "independent");
    failures.watch(makeResource(), "dependent");
    const { seen } = hold(failures, "a", "It failed.");
    await independent.registered();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(seen.others).toEqual([]);
  });

  it("waits anew where another read starts", async () => {
    const failures = new HeldFailures();
    const { seen } = hold(failures, "a", "It failed.");
    await vi.advanceTimersByTimeAsync(200);
    failures.watch(makeResource(), "dependent");
    await vi.advanceTimersByTimeAsync(1_999);
    expect(seen.others).toBeUndefined();
  });

  it("does not wait for others that fail", async () => {
    const failures = new HeldFailures();
    const { seen } = hold(failures, "a", "It failed.");
    hold(failures, "b", "It failed.");
    await vi.advanceTimersByTimeAsync(250);
    expect(seen.others).toEqual(["The same is true of 1 more: b."]);
  });
});

describe("many failures", () => {
  it("are reported by one, and the others are held on", async () => {
    const failures = new HeldFailures();
    const [first, second] = [hold(failures, "a", "One."), hold(failures, "b", "Two.")];
    await vi.advanceTimersByTimeAsync(250);
    expect([first.seen.others, second.seen.others]).toEqual([["b: Two."], undefined]);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(second.seen.others).toBeUndefined();
  });

  it("are reported by the next one where the first turns out not to fail", async () => {
    const failures = new HeldFailures();
    const [first, second] = [hold(failures, "a", "One."), hold(failures, "b", "Two.")];
    await vi.advanceTimersByTimeAsync(250);
    await first.registered();
    await vi.advanceTimersByTimeAsync(250);
    expect(second.seen.others).toEqual([]);
  });

  it("come after those of which only the engine knows whether they are", async () => {
    const failures = new HeldFailures();
    const [certain, possible, other] = [hold(failures, "a", "One."), hold(failures, "b"), hold(failures, "c")];
    await vi.advanceTimersByTimeAsync(250);
    expect([certain.seen.others, possible.seen.others]).toEqual([undefined, ["a: One."]]);
    expect(other.seen.others).toEqual(["a: One."]);
    await possible.registered();
    await other.registered();
    await vi.advanceTimersByTimeAsync(250);
    expect(certain.seen.others).toEqual([]);
  });
});

it("does not count a resource twice that is registered after it was held", async () => {
  const failures = new HeldFailures();
  const [certain, possible] = [hold(failures, "a", "One."), hold(failures, "b")];
  await vi.advanceTimersByTimeAsync(250);
  failures.watch(makeResource(), "dependent");
  await possible.registered();
  // The one that is being read still holds the failure back.
  await vi.advanceTimersByTimeAsync(1_999);
  expect(certain.seen.others).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(certain.seen.others).toEqual([]);
});

it("needs no timer where nothing fails", () => {
  const failures = new HeldFailures();
  failures.watch(makeResource(), "independent");
  expect(vi.getTimerCount()).toBe(0);
});
