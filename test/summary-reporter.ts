import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with the reasons of what was skipped and one line of counts, so that a skip is never silent. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const reasons = new Map<string, number>();
    for (const test of inState("skipped")) {
      const result = test.result();
      const reason = (result.state === "skipped" && result.note) || "no reason given";
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    for (const [reason, count] of reasons) process.stdout.write(`skipped ${count}: ${reason}\n`);
    const failed = inState("failed").length + brokenModules + unhandledErrors.length;
    process.stdout.write(
      `${inState("passed").length} passed, ${failed} failed, ${inState("skipped").length} skipped\n`,
    );
  }
}
