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
  it("a preview shows the drift of what comes late, and of a service that takes its time", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    const [slow, projects] = [
      await openService(context, { faults: LATE }),
      { args: { projectIds: [TWO, THREE], agents: [agent] } },
    ];
    const resources = {
      gone: { args: { projectId: FOUR, agent } },
      late: { args: { projectId: ONE, agent }, lateSeconds: 5 },
    };
    await deployment.setConfigs({
      "failures:services": JSON.stringify({ slow: { baseUrl: slow.baseUrl } }),
      "failures:resources": JSON.stringify(resources),
      "failures:fleets": JSON.stringify({ fleet: { ...projects, service: "slow" } }),
    });
    know(service, "/recorded");
    expect(await deployment.up()).toMatchObject({ ok: true });
    know(service, "/drifted");
    know(slow, "/drifted");
    service.set(FOUR, agent, undefined);
    const { ok, steps, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(steps).toEqual(
      expect.arrayContaining(["late", `fleet-${TWO}-${agent}`, `fleet-${THREE}-${agent}`].map(differs)),
    );
    expect(problemsIn(text)).toEqual([expect.stringContaining("there is no such project")]);
  });

  it("an update records what waits for a resource that takes long", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    const resources = {
      gone: { args: { projectId: FOUR, agent } },
      behind: { args: { projectId: ONE, agent }, isBehind: true },
    };
    await deployment.setConfig("failures:resources", JSON.stringify(resources));
    know(service, "/recorded");
    expect(await deployment.up()).toMatchObject({ ok: true });
    know(service, "/drifted");
    service.set(FOUR, agent, undefined);
    await deployment.setConfig("failures:input", "changed");
    const { ok, steps } = await deployment.up();
    expect(ok).toBe(false);
    expect(steps).toEqual(expect.arrayContaining([differs("behind")]));
  });

  it("another cause is told, too: a project that is gone beside a read that takes too long", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    const slow = await openService(context, { faults: LATE });
    know(service, "/recorded");
    const services = { slow: { baseUrl: slow.baseUrl, timeoutSeconds: 1, maxRetries: 0 } };
    const resources = {
      gone: { args: { projectId: GONE, agent } },
      slowly: { args: { projectId: ONE, agent }, service: "slow" },
    };
    await deployment.setConfigs({
      "failures:services": JSON.stringify(services),
      "failures:resources": JSON.stringify(resources),
    });
    const problems = problemsIn((await deployment.preview()).text);
    expect(problems).toHaveLength(2);
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.stringContaining("there is no such project"),
        expect.stringMatching(/no response within 1 s/),
      ]),
    );
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
    const named = [`first-${GONE}`, `second-${GONE}`, `second-${NEVER}`];
    for (const name of named)
      expect(text.match(new RegExp(`${name}-${agent}(?=' has a problem: Can't|,|\\.$)`, "gm"))).toHaveLength(1);
    expect(problemsIn(text)).toHaveLength(2);
  });

  it("members without a record are named in an outage, with what else fails, and drift is shown", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    const west = await openService(context);
    know(service, "/recorded");
    const open = (projectIds: readonly string[], resources: object) =>
      deployment.setConfigs({
        "failures:services": JSON.stringify({ west: { baseUrl: west.baseUrl, maxRetries: 0 } }),
        "failures:resources": JSON.stringify(resources),
        "failures:fleets": JSON.stringify({
          fleet: { args: { projectIds, agents: [agent], whenUnavailable: "useRecorded" }, service: "west" },
        }),
      });
    await open([ONE, TWO], { drifted: { args: { projectId: ONE, agent } } });
    expect(await deployment.up()).toMatchObject({ ok: true });
    service.set(ONE, agent, { logPath: "/drifted" });
    west.respondWith({ status: 503 });
    const gone = { args: { projectId: GONE, agent } };
    await open([ONE, TWO, THREE, FOUR], { drifted: { args: { projectId: ONE, agent } }, gone });
    const { ok, steps, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(steps).toEqual([differs("drifted")]);
    const problems = problemsIn(text);
    expect(problems).toEqual([
      expect.stringContaining("status 503"),
      expect.stringMatching(/^gone: Can't read .* there is no such project/),
      expect.stringMatching(`^fleet-${FOUR}-${agent}: .* This is a failure as well where nothing is recorded\\.$`),
    ]);
    expect(text).toContain(`'fleet-${THREE}-${agent}' has a problem`);
  });

  it("the program fails where the failing resources wait for each other, and nothing is deleted", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "knot");
    for (const projectId of [GONE, NEVER]) service.set(projectId, agent, { logPath: "/recorded" });
    expect(await deployment.up()).toMatchObject({ ok: true });
    for (const projectId of [GONE, NEVER]) service.set(projectId, agent, undefined);
    for (const run of ["preview", "up"] as const) {
      const { ok, steps, text } = await deployment[run]();
      expect(ok, text).toBe(false);
      expect(steps).toEqual([]);
      expect(text).toContain("there is no such project");
    }
  });
});
