import { idOf } from "../client/agent-log-config-id.ts";
import type { Failure } from "./failure-report.ts";

/** What is said of a resource: why it fails, and what it only warns of. */
export interface Verdict {
  readonly failures: readonly Failure[];
  readonly warnings: readonly Failure[];
}

// Both need zod, which takes as long to load as all the rest of a provider.

/**
 * Judges a resource by its own expectations. It fails for each setting that is not as expected, or warns of it.
 * @param inputs its arguments and settings, which may be unknown yet
 * @param secrets the settings that no message may quote
 */
export async function judge(inputs: Readonly<Record<string, unknown>>, secrets: readonly string[]): Promise<Verdict> {
  const { expect, whenUnexpected } = inputs;
  if (expect == null) return { failures: [], warnings: [] };
  const { unmetExpectations } = await import("./unmet-expectations.ts");
  // With --diff the engine shows a message without the name of its resource.
  const unmet = unmetExpectations(expect, inputs, secrets).map((cause) => ({
    message: `AgentLogConfig ${idOf(inputs)}: ${cause}`,
    cause,
  }));
  return whenUnexpected === "warn" ? { failures: [], warnings: unmet } : { failures: unmet, warnings: [] };
}

/**
 * Returns why a resource with these arguments can't be read; empty if it can. Values may be unknown yet.
 * @param secrets the arguments that no message may quote
 */
export async function refuse(
  inputs: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): Promise<readonly Failure[]> {
  const { malformedArguments } = await import("./resource-arguments.ts");
  return malformedArguments(inputs, secrets).map((message) => ({ message, cause: message }));
}
