import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../../sdk/client/errors.ts";
import { parseArgument } from "../../../sdk/client/parse-argument.ts";
import { readArgumentsSchema } from "../../../sdk/client/read-arguments-schema.ts";
import type { AskedRead } from "../../../sdk/shared/read-many.ts";
import { settingsOf } from "../../shared/settings-of.ts";
import { FleetEngine } from "../fleet-engine.ts";

// Random lives of a fleet, each run of which is compared with what it has to show, to say and to record.

/** Everything that can differ from one run to the next. */
interface Step {
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
type Records = ReadonlyMap<number, { readonly logPath: string; readonly whenUnavailable: string }>;

interface Outcome {
  readonly records: Records;
  /** The projects that the failure names; undefined where the run does not fail, empty where it fails as a whole. */
  readonly failing: ReadonlySet<string> | undefined;
  readonly outages: number;
  readonly unexpected: ReadonlySet<string>;
  readonly ops: Readonly<Record<number, "create" | "update" | "same">>;
  readonly order: readonly number[];
}

const idOf = (project: number) => (0xa0 + project).toString(16).padStart(24, "0");
const malformed = (project: number) => `malformed-${project}`;

function predict(step: Step, before: Records): Outcome {
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
const stepArbitrary: fc.Arbitrary<Step> = fc.record({
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

async function follow(step: Step, before: Records, engine: FleetEngine): Promise<Outcome> {
  const { expected, whenUnavailable, whenUnexpected } = step;
  const spell = { lower: idOf, upper: (project: number) => idOf(project).toUpperCase(), malformed };
  const projectIds = step.list.map(({ project, spelling }) => spell[spelling](project));
  const expect_ = expected === undefined ? {} : { expect: { logPath: expected } };
  const run = await engine[step.way]({
    projectIds,
    agents: ["monitoring"],
    whenUnavailable,
    whenUnexpected,
    ...expect_,
  });
  const outcome = predict(step, before);

  const records = [...engine.records.values()].map(({ inputs }) => [
    inputs["projectId"],
    { logPath: inputs["logPath"], whenUnavailable: inputs["whenUnavailable"] },
  ]);
  const predicted = [...outcome.records].map(([project, record]) => [idOf(project), record]);
  expect(Object.fromEntries(records)).toEqual(Object.fromEntries(predicted));
  expect(run.failure !== undefined).toBe(outcome.failing !== undefined);
  const isRefused = step.condition === "is down" && whenUnavailable === "useRecorded" && step.way === "upByPackage";
  const hasNone = isRefused && outcome.order.some((project) => !before.has(project));
  // A child of a program that has no record to use in an outage fails itself, in the place of its fleet.
  if (outcome.failing !== undefined && !hasNone) {
    const named = run.failure?.match(/(?:\b[0-9a-f]{24}|malformed-\d)(?=\/monitoring)/g);
    expect(new Set(named)).toEqual(outcome.failing);
    const total = new Set(step.list.map(({ project, spelling }) => `${spelling === "malformed"} ${project}`)).size;
    const count =
      outcome.failing.size === 0
        ? /^Nobody knows this key/
        : new RegExp(`^${outcome.failing.size} of ${total} fail\\.\n`);
    expect(run.failure).toMatch(count);
  }
  if (!hasNone) {
    const [outage, ...others] = outcome.outages > 0 ? run.warnings : [undefined, ...run.warnings];
    if (outcome.outages > 0) expect(outage).toContain(`${outcome.outages} of `);
    const named = others.join("\n").match(/\b[0-9a-f]{24}(?=\/monitoring)/g);
    expect(new Set(named)).toEqual(outcome.unexpected);
    const ops = Object.entries(outcome.ops).map(([project, op]) => [`fleet-${idOf(Number(project))}-monitoring`, op]);
    expect(run.steps).toEqual(Object.fromEntries(ops));
  }
  if (outcome.failing === undefined) {
    const configs = outcome.order.map((project) => ({
      id: `${idOf(project)}/monitoring`,
      logPath: outcome.records.get(project)?.logPath,
    }));
    expect(run.configs).toMatchObject(configs);
    expect(run.configs).toHaveLength(configs.length);
  }
  return outcome;
}

it("records, shows and says in random lives what the model predicts, and reads each project once", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 1, maxLength: 8 }), async (steps) => {
      let [current, reads]: [Step | undefined, string[]] = [undefined, []];
      const engine = new FleetEngine(async (args: AskedRead) => {
        const { projectId, agent } = parseArgument(readArgumentsSchema, args, "Nothing was read");
        reads.push(projectId);
        if (current?.condition === "is down") throw new AgentLogConfigError("ERR_UNAVAILABLE", `${projectId} is down.`);
        if (current?.condition === "refuses the key")
          throw new AgentLogConfigError("ERR_WRONG_KEY", "Nobody knows this key.");
        const logPath = current?.paths[Number.parseInt(projectId, 16) - 0xa0];
        if (logPath === undefined) throw new AgentLogConfigError("ERR_PROJECT_NOT_FOUND", `${projectId} is gone.`);
        return { ...settingsOf({ projectId, agent }), logPath };
      });
      let records: Records = new Map();
      for (const step of steps) {
        [current, reads] = [step, []];
        const outcome = await follow(step, records, engine);
        expect(reads.toSorted()).toEqual([...new Set(reads)].toSorted());
        if (outcome.failing !== undefined && Object.values(outcome.ops).includes("update"))
          seen.add("drift beside failures");
        if (outcome.outages > 0 && outcome.failing !== undefined) seen.add("an outage beside failures");
        if (outcome.failing === undefined && outcome.records.size < records.size) seen.add("a project that left");
        if (!isDeepStrictEqual(outcome.records, records) && outcome.unexpected.size > 0) seen.add("a warning");
        records = outcome.records;
      }
    }),
    { numRuns: 1000 },
  );
  expect(seen.size).toBe(4);
});
