import { readFile } from "node:fs/promises";
import { parseProperties } from "../stand-in-engine/property-value.ts";
import { type StepSummary, summarizeStep } from "./step-summary.ts";

/** Reads what the Pulumi CLI has written for `--event-log`, and returns the steps that change something. */
export async function readEventLog(file: string): Promise<readonly StepSummary[]> {
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean);
  return lines.flatMap((line) => {
    // The event after a step says what a refresh has found, too.
    const { resOutputsEvent: event } = parseProperties(JSON.parse(line));
    if (event === undefined) return [];
    const { op, urn, old, new: fresh } = parseProperties(parseProperties(event)["metadata"]);
    const inputsOf = (state: typeof old) => parseProperties(parseProperties(state)["inputs"]);
    return summarizeStep(String(op), String(urn), inputsOf(old), inputsOf(fresh));
  });
}
