import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";

// What the records of a fleet have to be after each run, and what the run has to show and to say. It says nothing about how.

/** Everything that can differ from one run to the next. */
export interface Step {
  readonly way: "upByPlugin" | "upByPackage";
  /** The projects as the program writes them. */
  readonly list: readonly { readonly project: number; readonly spelling: "lower" | "upper" | "malformed" }[];
  readonly whenUnavailable: "fail" | "useRecorded";
  readonly expected: string | undefined;
  readonly whenUnexpected: "fail" | "warn";
  readonly condition: "works" | "is down" | "refuses the key";
  /** The path that each project logs to; undefined for one that is gone. */
  readonly paths: readonly (string | undefined)[];
}

/** What is recorded of each project that has a record. */
export type Records = ReadonlyMap<number, { readonly logPath: string; readonly whenUnavailable: string }>;

export interface Outcome {
  readonly records: Records;
  /** The projects that the failure names; undefined where the run does not fail, empty where it fails as a whole. */
  readonly failing: ReadonlySet<string> | undefined;
  readonly outages: number;
  readonly unexpected: ReadonlySet<string>;
  readonly ops: Readonly<Record<number, "create" | "update" | "same">>;
  readonly order: readonly number[];
}

export const idOf = (project: number) => (0xa0 + project).toString(16).padStart(24, "0");
const malformed = (project: number) => `malformed-${project}`;

export function predict(step: Step, before: Records): Outcome {
  const [failing, unexpected, after] = [new Set<string>(), new Set<string>(), new Map(before)];
  const ops: Record<number, "create" | "update" | "same"> = {};
  let outages = 0;
  const wrong = new Set(step.list.filter(({ spelling }) => spelling === "malformed").map(({ project }) => project));
  const order = [
    ...new Set(step.list.filter(({ spelling }) => spelling !== "malformed").map(({ project }) => project)),
  ];
  const nothing = { records: before, outages: 0, unexpected, ops: {}, order: [] };
  // Nothing was read, and what is malformed is not told beside a wrong key.
  if (step.condition === "refuses the key" && order.length > 0) return { ...nothing, failing };
  for (const project of wrong) failing.add(malformed(project));
  for (const project of order) {
    const [recorded, path] = [before.get(project), step.paths[project]];
    const isOutage = step.condition === "is down" && step.whenUnavailable === "useRecorded";
    const found = step.condition === "is down" ? (isOutage ? recorded?.logPath : undefined) : path;
    if (found === undefined) {
      failing.add(idOf(project));
      continue;
    }
    const isUnexpected = step.expected !== undefined && step.expected !== found;
    if (isUnexpected) (step.whenUnexpected === "warn" ? unexpected : failing).add(idOf(project));
    if (isOutage) outages += 1;
    if (isUnexpected && step.whenUnexpected === "fail" && !isOutage) continue;
    const fresh = { logPath: found, whenUnavailable: step.whenUnavailable };
    ops[project] = recorded === undefined ? "create" : isDeepStrictEqual(recorded, fresh) ? "same" : "update";
    after.set(project, fresh);
  }
  const kept = new Map([...after].filter(([project]) => failing.size > 0 || order.includes(project)));
  return { records: kept, failing: failing.size > 0 ? failing : undefined, outages, unexpected, ops, order };
}

const PATHS = ["/a", "/b", "/c"];
export const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  way: fc.constantFrom("upByPlugin", "upByPackage"),
  list: fc.array(
    fc.record({
      project: fc.nat(4),
      spelling: fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom("lower", "upper") },
        fc.constant("malformed" as const),
      ),
    }),
    { maxLength: 7 },
  ),
  whenUnavailable: fc.constantFrom("fail", "useRecorded"),
  expected: fc.option(fc.constantFrom(...PATHS), { nil: undefined, freq: 3 }),
  whenUnexpected: fc.constantFrom("fail", "warn"),
  condition: fc.oneof(
    { weight: 6, arbitrary: fc.constant("works" as const) },
    fc.constantFrom("is down", "refuses the key"),
  ),
  paths: fc.array(fc.option(fc.constantFrom(...PATHS), { nil: undefined, freq: 8 }), { minLength: 5, maxLength: 5 }),
});

/** The list as the program writes it. */
export function projectIdsOf({ list }: Step): string[] {
  const spell = { lower: idOf, upper: (project: number) => idOf(project).toUpperCase(), malformed };
  return list.map(({ project, spelling }) => spell[spelling](project));
}
