import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { ProgramReport } from "../../sdk/program/program-report.ts";

class Other extends pulumi.CustomResource {}

const reasonOf = (name: string) =>
  `findings: ${JSON.stringify([{ causeKey: `cause of ${name}`, message: `${name} fails` }])}`;

/** What the program has told the engine. */
const told: string[] = [];
/** The end of the program. */
let end = () => {};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { exitCode } = process;
  const on = vi.spyOn(process, "on").mockReturnThis();
  end = () => {
    for (const [event, listener] of on.mock.calls)
      if (String(event) === "beforeExit") Reflect.apply(listener, process, []);
  };
  vi.spyOn(pulumi.log, "error").mockImplementation(
    async (message) => void told.push(message.replace(/ This applies to .*/, "")),
  );
  pulumi.runtime.setMocks(
    { newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) },
    "program",
    "dev",
    true,
  );
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    process.exitCode = exitCode;
    told.length = 0;
  });
});

/** Begins a program, and returns what lets a resource of it fail. */
async function beginProgram(): Promise<(name: string) => Promise<void>> {
  await pulumi.runtime.runInPulumiStack(async () => {});
  const reports = new ProgramReport();
  return async (name) => {
    reports.watch(new Other("test:index:Other", name, {}), name, pulumi.output(reasonOf(name)));
    await vi.advanceTimersByTimeAsync(0);
  };
}

const elapse = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

it("a program that does not end tells why resources fail 10 s after the last one, and each reason once", async () => {
  const fail = await beginProgram();
  await fail("a");
  await elapse(9);
  await fail("b");
  await elapse(9.999);
  expect(told).toEqual([]);
  await elapse(0.001);
  expect(told).toEqual(["a fails", "b fails"]);
  await elapse(60);
  await fail("c");
  await elapse(10);
  expect(told).toEqual(["a fails", "b fails", "c fails"]);
  end();
  await elapse(60);
  expect(told).toEqual(["a fails", "b fails", "c fails"]);
});

it("a program that ends tells each reason then, and once", async () => {
  const fail = await beginProgram();
  await fail("a");
  end();
  expect(told).toEqual(["a fails"]);
  await elapse(60);
  expect(told).toEqual(["a fails"]);
});

it("a program is not kept alive to tell why resources fail", async () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const fail = await beginProgram();
  await fail("a");
  await fail("b");
  expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  await elapse(10);
  await fail("c");
  expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
});
