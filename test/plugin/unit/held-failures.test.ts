import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HeldFailures } from "../../../sdk/plugin/held-failures.ts";
import { failure } from "../../../sdk/shared/group-failures.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const urn = (name: string) => `urn:pulumi:dev::p::agent-log-config:index:AgentLogConfig::${name}`;

/** The failures of one run, and what has become of each call. */
class Run {
  readonly shown: (readonly [name: string, message: string])[] = [];
  readonly ended: Record<string, string> = {};
  readonly failures = new HeldFailures((of, message) => this.shown.push([of.split("::").at(-1) ?? "", message]));

  hold(name: string, sentence: string): void {
    this.#end(
      name,
      this.failures.during(() => this.failures.hold(urn(name), failure(sentence))),
    );
  }

  holdOne(name: string, sentence: string): void {
    this.#end(
      name,
      this.failures.during(() => this.failures.holdOne(urn(name), failure(sentence))),
    );
  }

  /** A call that takes a time and succeeds. */
  succeed(name: string, milliseconds: number): void {
    this.#end(
      name,
      this.failures.during(() => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))),
    );
  }

  #end(name: string, call: Promise<void>): void {
    call.then(
      () => {
        this.ended[name] = "answered";
      },
      (error: Error) => {
        this.ended[name] = error.message;
      },
    );
  }
}

it("holds a call that fails until the engine has asked for nothing for a second", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  await pass(999);
  run.succeed("b", 0);
  await pass(999);
  expect(run.ended).toEqual({ b: "answered" });
  await pass(1);
  expect(run.ended).toEqual({ a: "It failed.", b: "answered" });
});

it("waits for the calls that are under way, however long they take", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  run.succeed("b", 30_000);
  await pass(30_999);
  expect(run.ended).toEqual({ b: "answered" });
  await pass(1);
  expect(run.ended["a"]).toBe("It failed.");
});

it("lets each call fail that is held, the first of a cause with the sentence", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  run.hold("b", "Another one.");
  run.hold("c", "It failed.");
  await pass(1000);
  expect(run.ended).toEqual({
    a: "It failed.\nThe same is true of 1 more: c.",
    b: "Another one.",
    c: "It fails for the same reason as 'a'.",
  });
  expect(run.shown).toEqual([]);
});

it("holds one call where the others may go on, and shows each other cause once at its resource", async () => {
  const run = new Run();
  run.holdOne("a", "It failed.");
  for (const name of ["b", "c", "d", "e"]) run.holdOne(name, "It failed.");
  run.holdOne("f", "Another one.");
  run.holdOne("g", "Another one.");
  await pass(0);
  expect(run.ended).toEqual({
    b: "answered",
    c: "answered",
    d: "answered",
    e: "answered",
    f: "answered",
    g: "answered",
  });
  await pass(1000);
  expect(run.ended["a"]).toBe("It failed.\nThe same is true of 4 more: b, c, d, e.");
  expect(run.shown).toEqual([["f", "Another one.\nThe same is true of 1 more: g."]]);
});

it("holds no other call after the first were reported, because the engine goes on where it is told to", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  await pass(1000);
  run.succeed("busy", 10_000);
  run.hold("b", "It failed.");
  run.hold("c", "Another one.");
  await pass(0);
  expect(run.ended).toMatchObject({ b: "It fails for the same reason as 'a'.", c: "Another one." });
});

it("says the whole sentence again for the same resource", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  await pass(1000);
  run.ended["a"] = "";
  run.hold("a", "It failed.");
  await pass(0);
  expect(run.ended["a"]).toBe("It failed.");
});
