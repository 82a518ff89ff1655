import { idOf } from "../client/agent-log-config-id.ts";
import type { Failure } from "./failure-report.ts";
import { unmetExpectations } from "./unmet-expectations.ts";

/** What is said of a resource: why it fails, and what it only warns of. */
export interface Verdict {
  readonly failures: readonly Failure[];
  readonly warnings: readonly Failure[];
}

/**
 * Judges a resource by its own expectations. It fails for each setting that is not as expected, or warns of it.
 * @param inputs its arguments, which are not refused, and its settings; both may be unknown yet
 * @param secrets the settings that no message may quote
 */
export function judge(inputs: Readonly<Record<string, unknown>>, secrets: readonly string[]): Verdict {
  // With --diff the engine shows a message without the name of its resource.
  const unmet = unmetExpectations(inputs["expect"], inputs, secrets).map((cause) => ({
    message: `AgentLogConfig ${idOf(inputs)}: ${cause}`,
    cause,
  }));
  return inputs["whenUnexpected"] === "warn" ? { failures: [], warnings: unmet } : { failures: unmet, warnings: [] };
}
