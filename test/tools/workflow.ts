import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";

export const ROOT = path.resolve(import.meta.dirname, "../..");

export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

export interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}

export interface Workflow {
  readonly on: object;
  readonly permissions: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Reads a workflow of this repository, or of one of its folders. */
export function readWorkflow(name: string, folder = "."): Workflow {
  return parse(readFileSync(path.join(ROOT, folder, ".github/workflows", name), "utf8"));
}

/** Returns the jobs that have to end before this one starts, in an order that they can run in. */
export function jobsBefore(jobs: Workflow["jobs"], name: string): string[] {
  const direct = [jobs[name]?.needs ?? []].flat();
  return [...new Set(direct.flatMap((need) => [...jobsBefore(jobs, need), need]))];
}
