import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RunReport } from "../../../sdk/plugin/run-report.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const urn = (name: string) => `urn:pulumi:dev::p::agent-log-config:index:AgentLogConfig::${name}`;
const failures = (message: string) => [{ message, causeKey: message }];

/** The failures of one run, and what has become of each call. */
class Run {
  readonly shown: (readonly [name: string, message: string])[] = [];
  readonly ended: Record<string, string> = {};
  readonly calls = new RunReport({
    show: (_, of, message) => void this.shown.push([of.split("::").at(-1) ?? "", message]),
  });

  /** A call of a preview, whose resource fails. */
  hold(name: string, message: string, more: { members?: readonly string[] } = {}): void {
    this.#call(name, () => this.calls.hold(urn(name), [{ message, causeKey: message, ...more }]));
  }

  /** A call that takes a time and succeeds. */
  succeed(name: string, milliseconds: number): void {
    this.#call(name, () => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)));
  }

  #call(name: string, answer: () => Promise<void>): void {
    this.calls.during(answer).then(
      () => {
        this.ended[name] = "answered";
      },
      (error: Error) => {
        this.ended[name] = error.message;
      },
    );
  }
}

it("holds the first call that fails and answers the others, until the engine has asked for nothing for 3 s", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  for (const name of ["b", "c"]) run.hold(name, "It failed.");
  for (const name of ["d", "e"]) run.hold(name, "Another one.");
  await pass(2999);
  run.succeed("f", 30_000);
  run.succeed("g", 1000);
  await pass(32_999);
  const answered = Object.fromEntries(["b", "c", "d", "e", "f", "g"].map((name) => [name, "answered"]));
  expect([run.ended, run.shown]).toEqual([answered, []]);
  await pass(1);
  expect(run.ended["a"]).toBe("It failed. This applies to the resources a, b, c.");
  expect(run.shown).toEqual([["d", "Another one. This applies to the resources d, e."]]);
});

it("holds nothing after it has told, because the engine ends the run", async () => {
  const run = new Run();
  run.hold("a", "It failed.");
  await pass(3000);
  run.hold("b", "Another one.");
  await pass(0);
  expect(run.ended).toEqual({ a: "It failed. This applies to the resource a.", b: "Another one." });
});

it("tells at the end of the run what was noted and not asked for since, and ends what it holds", async () => {
  const run = new Run();
  run.calls.note(urn("a"), failures("It failed."));
  run.calls.note(urn("b"), failures("Another one."));
  run.hold("c", "It failed.");
  run.calls.release();
  await pass(0);
  expect(run.ended).toEqual({ c: "It failed. This applies to the resources a, c." });
  expect(run.shown).toEqual([["b", "Another one. This applies to the resource b."]]);
  expect(vi.getTimerCount()).toBe(0);
});

it("tells nothing twice of a call that fails at once", () => {
  const run = new Run();
  const both = [...failures("One."), ...failures("Two.")];
  run.calls.note(urn("a"), both);
  expect(() => run.calls.fail(urn("a"), both)).toThrow(/^One\.\nTwo\.$/);
  run.calls.release();
  expect(run.shown).toEqual([]);
});

it("tells the cause of members of fleets and of other resources once, with all names", async () => {
  const run = new Run();
  const members = ["b/backup", "a/backup"];
  run.hold("fleet", "It failed.", { members });
  run.hold("z", "It failed.");
  await pass(3000);
  expect(run.ended["fleet"]).toBe("It failed. This applies to the resources fleet a/backup, fleet b/backup, z.");
  const failing = { message: "One.", causeKey: "One.", members };
  expect(() => run.calls.fail(urn("fleet"), [failing])).toThrow(
    /^One\. This applies to the resources b\/backup, a\/backup\.$/,
  );
});
