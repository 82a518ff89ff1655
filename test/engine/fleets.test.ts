import { describe, expect, it, type TestContext } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { ENGINES, type EngineName, openProgram, openRealProgram, type Program } from "../deployment/open-program.ts";

const [ONE, TWO] = ["1".repeat(24), "2".repeat(24)] as const;
const NAMED = { orders: TWO, billing: ONE };
const agent = "monitoring";
const nameOf = (projectId: string) => `fleet-${projectId}-${agent}`;

function know(service: Service, logPath: string): void {
  for (const projectId of [ONE, TWO]) service.set(projectId, agent, { logPath });
}

const use = (deployment: Deployment, fleet: object, args: object = {}) =>
  deployment.setConfig(
    "failures:fleets",
    JSON.stringify({ fleet: { args: { projectIds: [ONE, TWO], agents: [agent], ...args }, ...fleet } }),
  );

/** Opens a stack in which a fleet of two projects is recorded. */
async function open(context: TestContext, engine: EngineName, fleet: object = {}, args: object = {}) {
  return record(await openProgram(context, engine, "failures"), fleet, args);
}

async function record<Opened extends Program>(opened: Opened, fleet: object = {}, args: object = {}): Promise<Opened> {
  const { deployment, service } = opened;
  await deployment.setConfig("agent-log-config:maxRetries", "0");
  know(service, "/recorded");
  await use(deployment, fleet, args);
  expect(await deployment.up()).toMatchObject({ ok: true });
  return opened;
}

describe.each(ENGINES)("a fleet on the %s engine", (engine) => {
  it("is waited for by what depends on it, which is not created where a member fails", async (context) => {
    const { deployment, service } = await open(context, engine);
    service.set(TWO, agent, undefined);
    await use(deployment, { isConsumed: true });
    const failed = await deployment.up();
    expect(failed).toMatchObject({ ok: false });
    expect(failed.steps.map(({ name }) => name)).not.toContain("consumer");
    know(service, "/recorded");
    expect(await deployment.up()).toMatchObject({ ok: true, steps: [{ op: "create", name: "consumer" }] });
  });

  it("shows what changes under the names of its projects", async (context) => {
    const { deployment, service } = await open(context, engine, {}, { projectIds: undefined, projects: NAMED });
    service.set(TWO, agent, { logPath: "/drifted" });
    expect(await deployment.up()).toMatchObject({
      ok: true,
      steps: [{ op: "update", name: `fleet-orders-${agent}`, differences: ['logPath: "/recorded" => "/drifted"'] }],
    });
    expect(await deployment.outputs()).toEqual({ configs: { fleet: ["/recorded", "/drifted"] } });
  });

  it("is refused in one sentence where its projects turn out late to be none, and deletes nothing", async (context) => {
    const { deployment } = await open(context, engine);
    for (const [late, sentence] of [
      [
        {},
        "projectIds and projects are both missing; give projectIds, a list of project ids, or projects, a map from names of your own",
      ],
      [{ projectIds: [ONE], projects: { a: ONE } }, "projectIds and projects are both given; give one of them"],
      [{ projects: [ONE] }, "projects must be a map from names to project ids"],
    ] as const) {
      await use(deployment, { late }, { projectIds: undefined });
      const { ok, steps, text } = await deployment.up();
      expect({ ok, steps }).toEqual({ ok: false, steps: [] });
      expect(text.split(`AgentLogConfigs 'fleet' can't be made: ${sentence}`), text).toHaveLength(2);
    }
  });

  it("returns what is recorded, with ignoreChanges too", async (context) => {
    const { deployment, service } = await open(context, engine, { ignoreChanges: ["logPath"] });
    know(service, "/drifted");
    expect(await deployment.up()).toMatchObject({ ok: true, steps: [] });
    expect(await deployment.outputs()).toEqual({ configs: { fleet: ["/recorded", "/recorded"] } });
  });

  it("fails in a preview for what is known of the expectation while the rest is unknown", async (context) => {
    const { deployment } = await open(context, engine);
    await use(deployment, { expectsUnknown: { logPath: "/other" } });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toContain('logPath is "/recorded", expected "/other"');
    expect(text).toContain("The same is true of 1 more: ");
  });

  it("keeps its records in an outage, and tells the reason once", async (context) => {
    const { deployment, service } = await open(context, engine, {}, { whenUnavailable: "useRecorded" });
    service.respondWith({ status: 503 });
    for (const run of [await deployment.preview({ expectNoChanges: true }), await deployment.refresh()]) {
      expect(run).toMatchObject({ ok: true, steps: [] });
      for (const projectId of [ONE, TWO]) expect(run.text).toContain(`${projectId}/${agent} uses the recorded`);
      expect(run.text.match(/status 503/g)).toHaveLength(1);
    }
  });
});

// The stand-in engine has no targets and no aliases, and does not run the program to delete.
describe("a fleet on the real engine", () => {
  it("is read, compared and failed by its targeted members alone", async (context) => {
    const { deployment, service } = await record(await openRealProgram(context, "failures"));
    know(service, "/drifted");
    service.set(TWO, agent, undefined);
    for (const option of [`--target=**${nameOf(ONE)}`, `--exclude=**${nameOf(TWO)}`]) {
      const { ok, steps, text } = await deployment.run(["preview", option]);
      expect(ok, text).toBe(true);
      expect(steps).toMatchObject([{ op: "update", name: nameOf(ONE) }]);
    }
  });

  it("goes over from ids to names, and says what changes under them", async (context) => {
    const { deployment, service } = await record(await openRealProgram(context, "failures"));
    // Of two names of one project, the first one takes over the record.
    await use(deployment, {}, { projectIds: undefined, projects: { ...NAMED, returns: TWO } });
    expect(await deployment.up()).toMatchObject({
      ok: true,
      steps: [{ op: "create", name: `fleet-returns-${agent}` }],
    });
    await use(deployment, {}, { projectIds: undefined, projects: NAMED });
    expect(await deployment.up()).toMatchObject({
      ok: true,
      steps: [{ op: "delete", name: `fleet-returns-${agent}` }],
    });
    service.set(TWO, agent, { logPath: "/drifted" });
    const difference = 'logPath: "/recorded" => "/drifted"';
    expect(await deployment.up()).toMatchObject({
      ok: true,
      steps: [{ op: "update", name: `fleet-orders-${agent}`, differences: [difference] }],
    });
    expect(await deployment.outputs()).toEqual({ configs: { fleet: ["/recorded", "/drifted"] } });
  });

  it("is deleted in an outage with its program", async (context) => {
    const { deployment, service } = await record(await openRealProgram(context, "failures"));
    service.respondWith({ status: 503 });
    const { ok, text } = await deployment.run(["destroy", "--yes", "--skip-preview", "--run-program"]);
    expect(ok, text).toBe(true);
    expect(JSON.stringify(await deployment.exportState())).not.toContain(ONE);
  });
});
