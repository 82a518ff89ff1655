import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../../sdk/client/errors.ts";
import { parseArgument } from "../../../sdk/client/parse-argument.ts";
import { readArgumentsSchema } from "../../../sdk/client/read-arguments-schema.ts";
import type { AskedRead } from "../../../sdk/shared/read-many.ts";
import { settingsOf } from "../../shared/settings-of.ts";
import { FleetEngine } from "../fleet-engine.ts";
import { idOf, type Outcome, predict, projectIdsOf, type Records, type Step, stepArbitrary } from "../fleet-model.ts";

async function follow(step: Step, before: Records, engine: FleetEngine): Promise<Outcome> {
  const { expected, whenUnavailable, whenUnexpected } = step;
  const projectIds = projectIdsOf(step);
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
        if (current?.condition === "is down")
          throw new AgentLogConfigError("ERR_UNAVAILABLE", "it is down", { subject: projectId });
        if (current?.condition === "refuses the key")
          throw new AgentLogConfigError("ERR_WRONG_KEY", "Nobody knows this key.");
        const logPath = current?.paths[Number.parseInt(projectId, 16) - 0xa0];
        if (logPath === undefined)
          throw new AgentLogConfigError("ERR_PROJECT_NOT_FOUND", "it is gone", { subject: projectId });
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
