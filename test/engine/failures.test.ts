import { describe, expect, it, type TestContext } from "vitest";
import { type Fault, type Service, type ServiceOptions, startService } from "../../sdk/testing/index.ts";
import { ENGINES, openProgram, PRIVATE_KEY } from "../deployment/open-program.ts";

const projectOf = (digit: string) => digit.repeat(24);
const [ONE, TWO, THREE, FOUR] = [projectOf("1"), projectOf("2"), projectOf("3"), projectOf("4")] as const;
const [GONE, NEVER] = [projectOf("f"), projectOf("e")] as const;
const agent = "monitoring";
const LATE: readonly Fault[] = Array.from({ length: 100 }, () => ({ delaySeconds: 3 }));

/** A second service, which knows the same projects. */
async function openService(context: TestContext, options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ privateKey: PRIVATE_KEY, ...options });
  context.onTestFinished(() => service.close());
  know(service, "/recorded");
  return service;
}

function know(service: Service, logPath: string): void {
  for (const projectId of [ONE, TWO, THREE, FOUR]) service.set(projectId, agent, { logPath });
}

const differs = (name: string) => ({ op: "update", name, differences: ['logPath: "/recorded" => "/drifted"'] });

/** The lines of a run about resources that fail. */
const problemsIn = (text: string) => text.match(/(?<=has a problem: ).*/g) ?? [];

describe.each(ENGINES)("where one resource fails, on the %s engine", (engine) => {
  it("a preview shows the drift of what comes late, and of a service that takes its time, and tells every cause", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    const slow = await openService(context, { faults: LATE });
    const hasty = { baseUrl: slow.baseUrl, timeoutSeconds: 1, maxRetries: 0 };
    const resources = {
      gone: { args: { projectId: FOUR, agent } },
      late: { args: { projectId: ONE, agent }, lateSeconds: 5 },
    };
    const fleet = { args: { projectIds: [TWO, THREE], agents: [agent] }, service: "slow" };
    await deployment.setConfigs({
      "failures:services": JSON.stringify({ slow: { baseUrl: slow.baseUrl }, hasty }),
      "failures:resources": JSON.stringify(resources),
      "failures:fleets": JSON.stringify({ fleet }),
    });
    know(service, "/recorded");
    expect(await deployment.up()).toMatchObject({ ok: true });
    know(service, "/drifted");
    know(slow, "/drifted");
    service.set(FOUR, agent, undefined);
    const slowly = { args: { projectId: ONE, agent }, service: "hasty" };
    await deployment.setConfig("failures:resources", JSON.stringify({ ...resources, slowly }));
    const { ok, steps, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(steps).toEqual(
      expect.arrayContaining(["late", `fleet-${TWO}-${agent}`, `fleet-${THREE}-${agent}`].map(differs)),
    );
    // The cause of one of the two comes first.
    const problems = problemsIn(text);
    expect(problems).toHaveLength(2);
    for (const cause of ["no response within 1 s", "there is no such project"])
      expect(problems.join()).toContain(cause);
  });

  it("an update fails at once, before the resources are created that a chain makes one after the other", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    know(service, "/recorded");
    const unmet = { args: { projectId: ONE, agent, expect: { logPath: "/other" } } };
    await deployment.setConfigs({ "failures:resources": JSON.stringify({ unmet }), "failures:chain": "3" });
    const { ok, steps, text } = await deployment.up();
    expect(ok).toBe(false);
    expect(steps.filter(({ name }) => name.startsWith("slow")).length).toBeLessThanOrEqual(1);
    expect(text).toContain('logPath is "/recorded", expected "/other"');
  });

  it("each member of two fleets is named once", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    know(service, "/recorded");
    const fleets = {
      first: { args: { projectIds: [ONE, GONE], agents: [agent] } },
      second: { args: { projectIds: [GONE, NEVER, TWO], agents: [agent] } },
    };
    await deployment.setConfig("failures:fleets", JSON.stringify(fleets));
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    const [problem, ...others] = problemsIn(text);
    expect(others).toEqual([]);
    const all = [`first-${GONE}`, `second-${GONE}`, `second-${NEVER}`].map((name) => `${name}-${agent}`);
    const named = all.filter((name) => problem?.match(new RegExp(`The same applies to .*${name}(,|\\.$)`)));
    const [own] = /(?<=resource ')[^']+/.exec(text) ?? [];
    expect(new Set([...named, own])).toEqual(new Set(all));
  });

  it("arguments that can't work are told with all others, and with the nearest name", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    know(service, "/recorded");
    const drifted = { args: { projectId: ONE, agent } };
    await deployment.setConfig("failures:resources", JSON.stringify({ drifted }));
    expect(await deployment.up()).toMatchObject({ ok: true });
    know(service, "/drifted");
    const misnamed = { args: { projectId: TWO, agent, expects: {} } };
    const malformed = { args: { projectId: "x", agent } };
    await deployment.setConfig("failures:resources", JSON.stringify({ malformed, misnamed, drifted }));
    const { ok, steps, text } = await deployment.preview();
    expect({ ok, steps }).toEqual({ ok: false, steps: [differs("drifted")] });
    const problems = problemsIn(text);
    expect(problems).toHaveLength(2);
    expect(problems.join("\n")).toContain(
      'Nothing was read: the argument projectId must be 24 hexadecimal digits, not "x".',
    );
    expect(problems.join("\n")).toContain("Nothing was read: there is no argument expects; did you mean expect?");
  });

  it("an outage warns by the rule that a transform adds, and so does a setting that is not as expected", async (context) => {
    const { deployment, service } = await openProgram(context, "real", "failures");
    context.skip(engine !== "real", "the stand-in engine has no transforms");
    know(service, "/recorded");
    const resources = JSON.stringify({ one: { args: { projectId: ONE, agent } } });
    await deployment.setConfigs({ "failures:resources": resources, "failures:adds": "true" });
    const { text } = await deployment.up();
    expect(text).toContain('logPath is "/recorded", expected "/added"');
    service.respondWith({ status: 503 });
    const outage = await deployment.preview({ expectNoChanges: true });
    expect(outage).toMatchObject({ ok: true, steps: [] });
    expect(outage.text).toContain(`AgentLogConfig ${ONE}/${agent} uses the recorded settings, which were first read`);
  });

  it("a fleet lets wait what depends on it, is judged by what is known of its expectation, and returns what is recorded", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    know(service, "/recorded");
    const use = (fleet: object) => {
      const args = { projectIds: [ONE, TWO], agents: [agent] };
      return deployment.setConfig("failures:fleets", JSON.stringify({ fleet: { args, ...fleet } }));
    };
    await use({});
    expect(await deployment.up()).toMatchObject({ ok: true });
    service.set(TWO, agent, undefined);
    await use({ isConsumed: true });
    const failed = await deployment.up();
    expect(failed).toMatchObject({ ok: false });
    expect(failed.steps.map(({ name }) => name)).not.toContain("consumer");
    know(service, "/recorded");
    await use({ expectsUnknown: { logPath: "/other" } });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toMatch(/logPath is "\/recorded", expected "\/other".* The same applies to /);
    know(service, "/drifted");
    await use({ isConsumed: true, ignoreChanges: ["logPath"] });
    expect(await deployment.up()).toMatchObject({ ok: true, steps: [{ op: "create", name: "consumer" }] });
    expect(await deployment.outputs()).toMatchObject({ configs: { fleet: ["/recorded", "/recorded"] } });
  });

  it("a preview and an update fail where a failing resource waits for another one, and nothing is deleted", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "knot");
    for (const projectId of [GONE, NEVER]) service.set(projectId, agent, { logPath: "/recorded" });
    expect(await deployment.up()).toMatchObject({ ok: true });
    for (const projectId of [GONE, NEVER]) service.set(projectId, agent, undefined);
    for (const run of ["preview", "up"] as const) {
      const { ok, steps, text } = await deployment[run]();
      expect(ok, text).toBe(false);
      expect(steps.filter(({ op }) => op !== "update")).toEqual([]);
      expect(text).toContain("there is no such project");
    }
  });
});

// The stand-in engine ends every update at the first failure.
it("an update that is told to go on records all that can be recorded, and names each failure, on the real engine", async (context) => {
  const { deployment, service } = await openProgram(context, "real", "failures");
  const ids = Array.from({ length: 10 }, (_, index) => String(index).repeat(24));
  for (const projectId of ids) service.set(projectId, agent, { logPath: "/recorded" });
  for (const index of [3, 7]) service.set(String(index).repeat(24), agent, undefined);
  const resources = Object.fromEntries(ids.map((projectId, index) => [`r${index}`, { args: { projectId, agent } }]));
  await deployment.setConfig("failures:resources", JSON.stringify(resources));
  const { exitCode, steps, text } = await deployment.run(["up", "--yes", "--skip-preview", "--continue-on-error"]);
  expect(exitCode).not.toBe(0);
  const recorded = steps.filter(({ op }) => op === "create").map(({ name }) => name);
  const state = JSON.stringify(await deployment.exportState());
  expect(
    ids.filter((projectId) => state.includes(`"id":"${projectId}/${agent}"`)),
    recorded.join(),
  ).toHaveLength(8);
  for (const index of [3, 7]) expect(text).toContain(`of project ${String(index).repeat(24)}`);
});

it("README's program prints no warning of Node.js where nothing can be read, and names missing settings once", async (context) => {
  const { deployment, service } = await openProgram(context, "real", "failures");
  know(service, "/recorded");
  const one = { args: { projectId: ONE, agent, whenUnavailable: "useRecorded" } };
  await deployment.setConfigs({ "failures:resources": JSON.stringify({ one }), "failures:calls": ONE });
  expect(await deployment.up()).toMatchObject({ ok: true });
  service.respondWith({ status: 503 });
  const outage = await deployment.preview();
  expect(outage).toMatchObject({ ok: false, text: expect.stringContaining("uses the recorded settings") });
  await deployment.unsetConfig("agent-log-config:baseUrl");
  const missing = await deployment.preview();
  expect(missing).toMatchObject({ ok: false, steps: [] });
  const update = await deployment.up();
  expect(update).toMatchObject({ ok: false, steps: [] });
  for (const { text } of [missing, update]) {
    expect(text.match(/Connection settings are missing: baseUrl/g)).toHaveLength(1);
  }
  for (const { text } of [outage, missing, update]) expect(text).not.toMatch(/PromiseRejection|trace-warnings/);
});
