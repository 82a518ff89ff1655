import { describe, expect, it } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { ENGINES, openProgram, PRIVATE_KEY } from "../deployment/open-program.ts";
import { parseProperties } from "../stand-in-engine/property-value.ts";
import { queueFaults } from "../testing/queue-faults.ts";

const projectOf = (digit: string) => digit.repeat(24);
const [ONE, TWO, THREE, FOUR] = [projectOf("1"), projectOf("2"), projectOf("3"), projectOf("4")] as const;
const [GONE, NEVER] = [projectOf("f"), projectOf("e")] as const;
const agent = "monitoring";
function know(service: Service, logPath: string): void {
  for (const projectId of [ONE, TWO, THREE, FOUR]) service.set(projectId, agent, { logPath });
}

const byName = (a: { readonly name: string }, b: { readonly name: string }) => a.name.localeCompare(b.name);
const unchanged = (name: string) => ({ op: "update", name, differences: [] });
const differs = (name: string) => ({ op: "update", name, differences: ['logPath: "/recorded" => "/drifted"'] });

/** What a run says of resources that fail. */
const errorsIn = (text: string) => text.match(/(?<=^error: ).+/gm) ?? [];

/** What `--json` says beside which resource. */
function errorsBeside(json: string): (readonly [name: string, message: string])[] {
  const { diagnostics } = parseProperties(JSON.parse(json));
  const all = Array.isArray(diagnostics) ? diagnostics.map(parseProperties) : [];
  const errors = all.filter(({ severity }) => severity === "error");
  return errors.map(({ urn, message }) => [String(urn).split("::").at(-1) ?? "", String(message)] as const).toSorted();
}

/** A map of projects that are called by their ids. */
const byId = (...ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, id]));

describe.each(ENGINES)("where one resource fails, on the %s engine", (engine) => {
  it("a preview shows the drift of what comes late, and of a service that takes its time, and tells every cause", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    const slow = await openService({ privateKey: PRIVATE_KEY });
    const hasty = { baseUrl: slow.baseUrl, timeoutSeconds: 1, maxRetries: 0 };
    const resources = {
      gone: { args: { projectId: FOUR, agent } },
      late: { args: { projectId: ONE, agent } },
    };
    const fleet = { args: { projects: byId(TWO, THREE), agents: [agent] }, service: "slow" };
    await deployment.setConfigs({
      "failures:services": JSON.stringify({ slow: { baseUrl: slow.baseUrl }, hasty }),
      "failures:resources": JSON.stringify(resources),
      "failures:fleets": JSON.stringify({ fleet }),
    });
    for (const each of [service, slow]) know(each, "/recorded");
    expect(await deployment.up()).toMatchObject({ ok: true });
    for (const each of [service, slow]) know(each, "/drifted");
    queueFaults(slow, ...Array(100).fill({ delaySeconds: 2 }));
    service.set(FOUR, agent, undefined);
    const late = { ...resources.late, lateSeconds: 3 };
    const slowly = { args: { projectId: ONE, agent }, service: "hasty" };
    await deployment.setConfig("failures:resources", JSON.stringify({ ...resources, late, slowly }));
    const { ok, steps, text } = await deployment.preview();
    expect(ok).toBe(false);
    const drift = [TWO, THREE].map((id) => `configs.${id}/${agent}.logPath: "/recorded" => "/drifted"`);
    expect(steps).toEqual(
      expect.arrayContaining([differs("late"), { op: "update", name: "fleet", differences: drift }]),
    );
    const errors = errorsIn(text);
    expect(errors).toHaveLength(2);
    for (const cause of ["no response within 1 s", "there is no such project"]) expect(errors.join()).toContain(cause);
  });

  it("a preview ends although the program keeps something open until a failing resource is registered", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "open-server", { gone: GONE, slow: ONE });
    for (const projectId of [GONE, ONE]) service.set(projectId, agent, { logPath: "/recorded" });
    expect(await deployment.up()).toMatchObject({ ok: true });
    service.set(GONE, agent, undefined);
    service.set(ONE, agent, { logPath: "/drifted" });
    queueFaults(service, { delaySeconds: 2 }, { delaySeconds: 2 });
    const { ok, steps, text } = await deployment.preview();
    expect([ok, steps.toSorted(byName)]).toEqual([false, [unchanged("bad"), differs("slow")]]);
    expect(errorsIn(text)).toEqual([expect.stringContaining("there is no such project")]);
  });

  it("a preview reports each failure beside its own resource, which keeps its record or has unknown settings", async (context) => {
    const { deployment, service } = await openProgram(context, "real", "failures");
    context.skip(engine !== "real", "the stand-in engine shows no resource beside a message");
    know(service, "/recorded");
    const resources = {
      gone: { args: { projectId: ONE, agent } },
      ignoring: { args: { projectId: TWO, agent }, ignoreChanges: ["username"] },
      drifted: { args: { projectId: THREE, agent } },
      unmet: { args: { projectId: FOUR, agent, expect: { logPath: "/recorded" } } },
    };
    const use = (asked: object) => deployment.setConfig("failures:resources", JSON.stringify(asked));
    await use(resources);
    expect(await deployment.up()).toMatchObject({ ok: true });
    know(service, "/drifted");
    service.set(ONE, agent, undefined);
    service.set(TWO, agent, { logPath: "<{%" });
    await use({ ...resources, new: { args: { projectId: GONE, agent } } });
    const { exitCode, steps } = await deployment.preview();
    expect([exitCode, steps.toSorted(byName)]).toEqual([
      1,
      [differs("drifted"), unchanged("gone"), unchanged("ignoring"), { op: "create", name: "new" }, differs("unmet")],
    ]);
    const { text } = await deployment.run(["preview", "--json"]);
    const errors = errorsBeside(text);
    expect(errors).toHaveLength(3);
    const [beside, message] = errors.find(([, message]) => message.includes("no such project")) ?? [];
    expect(["gone", "new"]).toContain(beside);
    expect(message).toMatch(/ This applies to the resources gone, new\.\n$/);
    for (const name of ["ignoring", "unmet"]) expect(errors.filter(([beside]) => beside === name)).toHaveLength(1);
    expect(text).toMatch(/"logPath": "04da6b54-80e4-46f7-96ec-b56ff0331ba9"/);

    const targeted = await deployment.run(["preview", "--target=**::unmet"]);
    expect([targeted.exitCode, errorsIn(targeted.text)]).toEqual([1, [expect.stringContaining(`${FOUR}/${agent}: `)]]);
  });

  it("a preview tells of a wrong key once, and names all resources", async (context) => {
    const { deployment, service } = await openProgram(context, "real", "failures");
    context.skip(engine !== "real", "the stand-in engine shows no resource beside a message");
    const ids = Array.from({ length: 12 }, (_, index) => index.toString(16).padStart(24, "0"));
    const resources = Object.fromEntries(ids.map((projectId, index) => [`r${index}`, { args: { projectId, agent } }]));
    await deployment.setConfig("failures:resources", JSON.stringify(resources));
    service.rotateKey("private-key-0002");
    const { exitCode, text } = await deployment.run(["preview", "--json"]);
    const says = `: the service refuses the key pair; .* This applies to the resources ${Object.keys(resources).join(", ")}\\.\n$`;
    expect([exitCode, service.requests.length, errorsBeside(text)]).toEqual([
      1,
      2,
      [[expect.stringMatching(/^r\d+$/), expect.stringMatching(says)]],
    ]);
  });

  it("a preview fails however the program ends itself, and tells why", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    know(service, "/recorded");
    const resources = { gone: { args: { projectId: GONE, agent } }, one: { args: { projectId: ONE, agent } } };
    await deployment.setConfig("failures:resources", JSON.stringify(resources));
    const succeeding = [
      "process.exit(0)",
      ...["", ", again and again", ", at its exit"].map((when) => `process.exitCode = 0${when}`),
    ];
    for (const ending of [...succeeding, "process.exit(0) at gone", "process.exit(7)"]) {
      await deployment.setConfig("failures:ending", ending);
      const { ok, text } = await deployment.preview();
      const [error, ...others] = errorsIn(text);
      expect([ending, ok, error]).toEqual([ending, false, expect.stringContaining("there is no such project")]);
      // The language host itself complains of another code; the SDK sets one where promises are still active.
      expect(others).toHaveLength(succeeding.includes(ending) ? 0 : 1);
    }
    // A program that ends so and has no failing resource succeeds.
    await deployment.setConfigs({
      "failures:resources": JSON.stringify({ one: resources.one }),
      "failures:ending": "process.exitCode = 0",
    });
    expect(await deployment.preview()).toMatchObject({ ok: true });
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

  it("invalid arguments are told with all others, and each member of two fleets once", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    know(service, "/recorded");
    const drifted = { args: { projectId: ONE, agent } };
    await deployment.setConfig("failures:resources", JSON.stringify({ drifted }));
    expect(await deployment.up()).toMatchObject({ ok: true });
    know(service, "/drifted");
    const misnamed = { args: { projectId: TWO, agent, expects: {} } };
    const malformed = { args: { projectId: "x", agent } };
    const fleets = {
      first: { args: { projects: byId(GONE), agents: [agent] } },
      second: { args: { projects: byId(GONE, NEVER), agents: [agent] } },
    };
    await deployment.setConfigs({
      "failures:resources": JSON.stringify({ malformed, misnamed, drifted }),
      "failures:fleets": JSON.stringify(fleets),
    });
    const { ok, steps, text } = await deployment.preview();
    expect([ok, steps.filter(({ op }) => op !== "create")]).toEqual([false, [differs("drifted")]]);
    const errors = errorsIn(text).join("\n");
    expect(errors).toContain('Nothing was read: the argument projectId must be 24 hexadecimal digits, not "x".');
    expect(errors).toContain("Nothing was read: the argument has unknown names: expects; the valid ones are ");
    expect(errors.match(/there is no such project/g)).toHaveLength(1);
    const members = [`first ${GONE}/${agent}`, `second ${GONE}/${agent}`, `second ${NEVER}/${agent}`];
    const [, named = ""] = /there is no such project.* This applies to the resources? (.*)\.$/m.exec(errors) ?? [];
    expect(named).toBe(members.toSorted().join(", "));
  });

  it("an outage warns by the rule that a transform adds, and so does a setting that is not as expected", async (context) => {
    const { deployment, service } = await openProgram(context, "real", "failures");
    context.skip(engine !== "real", "the stand-in engine has no transforms");
    know(service, "/recorded");
    const resources = JSON.stringify({ one: { args: { projectId: ONE, agent } } });
    await deployment.setConfigs({
      "failures:resources": resources,
      "failures:adds": "true",
      "agent-log-config:maxRetries": "0",
    });
    const { text } = await deployment.up();
    expect(text).toMatch(/warning: .*logPath is "\/recorded", expected "\/added"/);
    service.respondWith(() => ({ status: 503 }));
    const outage = [
      { subject: "one", run: await deployment.preview({ expectNoChanges: true }) },
      { subject: "one", run: await deployment.up() },
      { subject: `${ONE}/${agent}`, run: await deployment.refresh() },
    ];
    for (const { subject, run } of outage) {
      expect(run).toMatchObject({ ok: true, steps: [] });
      expect(run.text).toContain(`AgentLogConfig ${subject} uses the recorded settings.`);
    }
    // What is replaced has no record.
    const replaced = await deployment.run(["preview", "--replace=**::one"]);
    expect(replaced).toMatchObject({ ok: false, text: expect.stringContaining("status 503") });
    const { text: json } = await deployment.run(["preview", "--json"]);
    expect(json).toMatch(/"message": "warning: .* uses the recorded.*\n *"severity": "warning"/);
  });

  it("a preview names no resource that does not fail, for what is kept or for a provider that a transform sets", async (context) => {
    const { deployment, service } = await openProgram(context, "real", "failures");
    context.skip(engine !== "real", "the stand-in engine has no transforms");
    know(service, "/recorded");
    const argsOf = (projectId: string) => ({ projectId, agent, expect: { logPath: "/recorded" } });
    const resources = {
      unmet: { args: argsOf(ONE), service: "west" },
      kept: { args: argsOf(TWO), service: "west", ignoreChanges: ["logPath"] },
      moved: { args: { projectId: THREE, agent }, movedTo: "west" },
    };
    await deployment.setConfigs({
      "failures:services": JSON.stringify({ west: { baseUrl: service.baseUrl } }),
      "failures:resources": JSON.stringify(resources),
    });
    await deployment.unsetConfig("agent-log-config:baseUrl");
    expect(await deployment.up()).toMatchObject({ ok: true });
    know(service, "/drifted");
    const { ok, text } = await deployment.preview();
    expect([ok, errorsIn(text)]).toEqual([
      false,
      [
        `AgentLogConfig ${ONE}/${agent}: logPath is "/drifted", expected "/recorded"; change it in the service, or change expect. This applies to the resource unmet.`,
      ],
    ]);
    expect(text).not.toContain("settings are missing");
  });

  it("a fleet is judged by what is known of its expectation, and returns what is recorded", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "failures");
    know(service, "/recorded");
    const use = (fleet: object) => {
      const args = { projects: byId(ONE, TWO), agents: [agent] };
      return deployment.setConfig("failures:fleets", JSON.stringify({ fleet: { args, ...fleet } }));
    };
    await use({});
    expect(await deployment.up()).toMatchObject({ ok: true });
    await use({ expectsUnknown: { logPath: "/other" } });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toMatch(
      /logPath is "\/recorded", expected "\/other".* This applies to the resources fleet \w+\/monitoring, fleet \w/,
    );
    know(service, "/drifted");
    await use({ ignoreChanges: ["configs"] });
    expect(await deployment.up()).toMatchObject({ ok: true, steps: [] });
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

it("README's program prints no warning of Node.js where nothing can be read", async (context) => {
  const { deployment, service } = await openProgram(context, "real", "failures");
  know(service, "/recorded");
  const one = { args: { projectId: ONE, agent, whenUnavailable: "useRecorded" } };
  await deployment.setConfigs({ "failures:resources": JSON.stringify({ one }), "failures:calls": ONE });
  expect(await deployment.up()).toMatchObject({ ok: true });
  service.respondWith(() => ({ status: 503 }));
  const outage = await deployment.preview();
  expect(outage).toMatchObject({ ok: false, text: expect.stringContaining("uses the recorded settings") });
  await deployment.unsetConfig("agent-log-config:baseUrl");
  const missing = await deployment.preview();
  expect(missing).toMatchObject({ ok: false });
  const update = await deployment.up();
  expect(update).toMatchObject({ ok: false, steps: [] });
  for (const { text } of [missing, update]) {
    expect(text).toContain("Connection settings are missing: baseUrl");
  }
  for (const { text } of [outage, missing, update]) expect(text).not.toMatch(/PromiseRejection|trace-warnings/);
});
