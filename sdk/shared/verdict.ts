import { idOf } from "../client/agent-log-config-id.ts";
import type { Failure } from "./failure-report.ts";
import type { Problem } from "./reading.ts";
import { refusalsOf } from "./resource-arguments.ts";
import { unmetExpectations } from "./unmet-expectations.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** What is said of a resource: why it fails, and what it only warns of. */
export interface Verdict {
  readonly failures: readonly Failure[];
  readonly warnings: readonly Failure[];
}

/**
 * Judges a resource: by its arguments, then by its read, and then by its own expectations. Nothing is wrong with a failed read
 * for which the recorded settings may be used.
 * @param inputs its arguments and its settings; both may be unknown yet
 * @param problem why there are no settings; null where there are
 * @param secrets the arguments and settings that no message may quote
 */
export function verdictOf(inputs: Inputs, problem: Problem | null, secrets: readonly string[]): Verdict {
  const refusals = refusalsOf(inputs, secrets);
  if (refusals.length > 0) return { failures: refusals, warnings: [] };
  if (problem !== null) return { failures: mayUseRecord(inputs, problem) ? [] : [problem], warnings: [] };
  // With --diff the engine shows a message without the name of its resource.
  const unmet = unmetExpectations(inputs["expect"], inputs, secrets).map((cause) => ({
    message: `AgentLogConfig ${idOf(inputs)}: ${cause}`,
    cause,
  }));
  return inputs["whenUnexpected"] === "warn" ? { failures: [], warnings: unmet } : { failures: unmet, warnings: [] };
}

/** Tells whether the recorded settings may be used, if there are any, for those that could not be read. */
export function mayUseRecord({ whenUnavailable }: Inputs, { temporary }: Problem): boolean {
  return temporary && whenUnavailable === "useRecorded";
}
