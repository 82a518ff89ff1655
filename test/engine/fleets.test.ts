import { describe, expect, it, type TestContext } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { ENGINES, type EngineName, openProgram } from "../deployment/open-program.ts";

const [ONE, TWO] = ["1".repeat(24), "2".repeat(24)] as const;
const agent = "monitoring";

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
  const opened = await openProgram(context, engine, "failures");
  const { deployment, service } = opened;
  await deployment.setConfig("agent-log-config:maxRetries", "0");
  know(service, "/recorded");
  await use(deployment, fleet, args);
  expect(await deployment.up()).toMatchObject({ ok: true });
  return opened;
}

// What a fleet does in both ways, in programs and in the plugin, is in test/plugin/fleet-engine.test.ts.
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
    expect(text).toContain("The same applies to ");
  });
});
