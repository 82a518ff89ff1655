import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HeldCalls } from "../../../sdk/plugin/held-calls.ts";
import { failure } from "../../../sdk/shared/describe-failures.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const urn = (name: string) => `urn:pulumi:dev::p::agent-log-config:index:AgentLogConfig::${name}`;

/** The failures of one run, and what has become of each call. */
class Run {
  readonly shown: (readonly [name: string, message: string])[] = [];
  readonly ended: Record<string, string> = {};
  readonly failures = new HeldCalls((of, message) => this.shown.push([of.split("::").at(-1) ?? "", message]));

  /** A call of an update, whose resource was found to fail before. */
  hold(name: string, sentence: string): void {
    this.failures.show(urn(name), failure(sentence));
    this.#call(name, () => this.failures.hold(urn(name), failure(sentence)));
  }

  /** The same in a preview. */
  holdOne(name: string, sentence: string): void {
    this.failures.show(urn(name), failure(sentence));
    this.#call(name, () => this.failures.holdOne(urn(name), failure(sentence)));
  }

  /** A call that takes a time and succeeds. */
  succeed(name: string, milliseconds: number): void {
    this.#call(name, () => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)));
  }

  #call(name: string, answer: () => Promise<void>): void {
    this.failures.during(answer).then(
      () => {
        this.ended[name] = "answered";
      },
      (error: Error) => {
        this.ended[name] = error.message;
      },
    );
  }
}

it("shows the first failure of each cause at once, and its call ends without it", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  run.hold("b", "It failed.");
  run.hold("c", "Another one.");
  expect(run.shown).toEqual([
    ["a", "It failed."],
    ["c", "Another one."],
  ]);
  await pass(1000);
  expect(run.ended).toEqual({
    a: "It fails for the reason shown above.",
    b: "It fails for the same reason as 'a'.",
    c: "It fails for the reason shown above.",
  });
  expect(run.shown).toHaveLength(2);
});

it("holds a call that fails until the engine has asked for nothing for a second", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  await pass(999);
  run.succeed("b", 0);
  await pass(0);
  expect(run.ended).toEqual({ b: "answered" });
});

it("waits four times as long as the engine has ever waited between two calls", async () => {
  const run = new Run();
  run.succeed("a", 0);
  await pass(700);
  run.hold("b", "It failed.");
  await pass(2799);
  expect(run.ended).toEqual({ a: "answered" });
  await pass(1);
  expect(run.ended).toHaveProperty("b");
});

it("waits no longer than ten seconds where the engine was busy with a slow resource before", async () => {
  const run = new Run();
  run.succeed("a", 0);
  await pass(300_000);
  run.hold("b", "It failed.");
  await pass(10_000);
  expect(run.ended).toHaveProperty("b");
});

it("waits for the calls that are under way, however long they take", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  run.succeed("b", 30_000);
  await pass(30_999);
  expect(run.ended).toEqual({ b: "answered" });
  await pass(1);
  expect(run.ended).toHaveProperty("a");
});

it("waits for a child that was sent until it is registered", async () => {
  const run = new Run();
  const { promise, resolve } = Promise.withResolvers<void>();
  run.failures.waitFor(urn("child"), promise);
  run.hold("a", "It failed.");
  await pass(9_000);
  expect(run.ended).toEqual({});
  resolve();
  await pass(1_000);
  expect(run.ended).toHaveProperty("a");
});

it("waits no longer for a child that is found to fail", async () => {
  const run = new Run();
  run.failures.waitFor(urn("a"), new Promise(() => {}));
  run.hold("a", "It failed.");
  await pass(1_000);
  expect(run.ended).toHaveProperty("a");
});

it("gives up a child that the engine does not ask for, because the calls that are held may be what it waits for", async () => {
  const run = new Run();
  run.failures.waitFor(urn("child"), new Promise(() => {}));
  run.hold("a", "It failed.");
  await pass(10_000);
  expect(run.ended).toHaveProperty("a");
});

it("holds one call where the others may go on, and names those once for each cause", async () => {
  const run = new Run();
  run.holdOne("a", "It failed.");
  for (const name of ["b", "c"]) run.holdOne(name, "It failed.");
  for (const name of ["d", "e"]) run.holdOne(name, "Another one.");
  await pass(0);
  expect(run.ended).toEqual({ b: "answered", c: "answered", d: "answered", e: "answered" });
  await pass(1000);
  expect(run.ended["a"]).toBe("The same is true of 2 more: b, c.");
  expect(run.shown.slice(2)).toEqual([["d", "The same is true of 1 more: e."]]);
});

it("names what was found to fail and was not asked for since", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  run.failures.show(urn("b"), failure("It failed."));
  await pass(1000);
  expect(run.ended["a"]).toBe("The same is true of 1 more: b.");
});

it("fails with the whole reason where that was not shown", async () => {
  const run = new Run();
  const held = run.failures.during(() => run.failures.hold(urn("a"), failure("It failed.")));
  const ended = expect(held).rejects.toThrow(/^It failed\.$/);
  await pass(1000);
  await ended;
  expect(run.shown).toEqual([]);
});

it("holds no other call after the first were reported, because the engine goes on where it is told to", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  await pass(1000);
  run.succeed("busy", 10_000);
  run.hold("b", "It failed.");
  run.hold("c", "Another one.");
  await pass(0);
  expect(run.ended).toMatchObject({ b: "It fails for the same reason as 'a'.", c: expect.stringContaining("shown") });
});

it("ends what it holds when the run ends", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  run.failures.report();
  await pass(0);
  expect(run.ended).toHaveProperty("a");
  expect(vi.getTimerCount()).toBe(0);
});

it("waits anew from the moment that a child is registered or has failed", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  for (const register of [async () => {}, () => Promise.reject(new Error("It has failed."))]) {
    run.failures.waitFor(urn("child"), register());
    await pass(500);
  }
  await pass(499);
  expect(run.ended).toEqual({});
  await pass(1);
  expect(run.ended).toHaveProperty("a");
});

it("tells once of what was found to fail", async () => {
  const run = new Run();
  for (const name of ["a", "b"]) run.failures.show(urn(name), failure("It failed."));
  run.hold("c", "It failed.");
  await pass(1000);
  const told = [...run.shown];
  expect(told.slice(1)).toEqual([["a", "The same is true of 1 more: b."]]);
  run.hold("d", "It failed.");
  await pass(1000);
  expect([run.ended["d"], run.shown]).toEqual(["It fails for the same reason as 'a'.", told]);
});

it("takes no time in which a call is under way for one in which the engine asks for nothing", async () => {
  const run = new Run();
  run.succeed("a", 0);
  await pass(300);
  run.succeed("b", 5000);
  await pass(2000);
  run.succeed("c", 0);
  await pass(3000);
  run.hold("d", "It failed.");
  await pass(1199);
  expect(run.ended).not.toHaveProperty("d");
  await pass(1);
  expect(run.ended).toHaveProperty("d");
});
