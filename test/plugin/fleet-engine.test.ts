import { describe, expect, it, type TestContext } from "vitest";
import { configure, makeProgramFolder } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { requireHost } from "./require-host.ts";

const WAYS = ["package", "plugin"] as const;
const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const PROJECTS = { orders: id(1), billing: id(2), archive: id(3) };
const PATHS = { "orders/monitoring": "/log/1", "billing/monitoring": "/log/2", "archive/monitoring": "/log/3" };
const CREDENTIAL = "body-api-key-0001";
/** Each run of the CLI takes seconds. */
const LIMIT = { timeout: 300_000 };
const installed = usePluginFolder();

/** Opens a program with a fleet beside a single record, and a service that knows some projects. */
async function open(context: TestContext, by: (typeof WAYS)[number]) {
  const { path: folders } = requireHost(context, "nodejs");
  const { directory, service } = await makeProgramFolder(context, "agent-log-configs");
  const env = { PATH: installed.pathWith(folders), PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  const deployment = await openRealDeployment(directory, env, process.execPath);
  context.onTestFinished(() => deployment.close());
  const set = (key: string, value: unknown) =>
    deployment.setConfig(`agent-log-configs:${key}`, typeof value === "string" ? value : JSON.stringify(value));
  const setProjects = (projects: object) =>
    set("args", { projects, agents: ["monitoring"], whenUnavailable: "useRecorded" });
  await configure(deployment, service, "agent-log-configs", { by, single: id(3) });
  await deployment.setConfig("agent-log-config:maxRetries", "0");
  await setProjects(PROJECTS);
  const know = (index: number, logPath = `/log/${index}`) =>
    service.set(id(index), "monitoring", { logPath, configOverrides: { mmsApiKey: CREDENTIAL } });
  for (const index of [1, 2, 3, 4]) know(index);
  return { deployment, service, know, set, setProjects };
}

describe.each(WAYS)("a fleet of the %s", (by) => {
  it("shows what can be known of each member, and records all of them or none", LIMIT, async (context) => {
    const { deployment, service, know, set, setProjects } = await open(context, by);
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.outputs()).toEqual({ paths: PATHS });
    // The engine keeps what is secret in the form of ciphertext.
    expect(JSON.stringify(await deployment.exportState())).not.toContain(CREDENTIAL);

    know(2, "/drifted");
    service.set(id(3), "monitoring", undefined);
    await set("created", [id(4)]);
    const preview = await deployment.preview();
    expect(preview.exitCode).toBe(1);
    expect(preview.text).toMatch(/~ billing\/monitoring +: \{\s+~ logPath: "\/log\/2" => "\/drifted"\s+\}/);
    expect(preview.text).not.toMatch(/[~+-] (orders|archive)\/monitoring/);
    expect(preview.text).toMatch(
      /error: .*there is no such project.* This applies to the resources (fleet archive\/monitoring, single|single, fleet archive\/monitoring)\./,
    );
    const update = await deployment.run(["up", "--yes", "--skip-preview", "--continue-on-error"]);
    expect(update.exitCode).toBe(1);
    expect(update.text).toContain("This applies to the resource archive/monitoring.");
    expect(await deployment.outputs()).toEqual({ paths: PATHS });

    const { archive: _, ...others } = PROJECTS;
    await setProjects(others);
    await deployment.unsetConfig("agent-log-configs:single");
    expect(await deployment.up()).toMatchObject({ ok: true });
    const { "archive/monitoring": __, ...paths } = PATHS;
    const recorded = { ...paths, "billing/monitoring": "/drifted", [`created-${id(4)}/monitoring`]: "/log/4" };
    expect(await deployment.outputs()).toEqual({ paths: recorded });

    service.respondWith(() => ({ status: 503 }));
    const outage = await deployment.preview({ expectNoChanges: true });
    expect(outage).toMatchObject({ ok: true, steps: [] });
    expect(outage.text.match(/^ *warning: .* uses? the recorded settings/gm)).toHaveLength(1);
    expect(JSON.stringify(await deployment.exportState())).not.toContain(CREDENTIAL);
    expect(await deployment.destroy()).toMatchObject({ ok: true });
  });
});

it("moves in place from the package to the plugin and back, as a single record does", LIMIT, async (context) => {
  const { deployment, set } = await open(context, "package");
  expect(await deployment.up()).toMatchObject({ ok: true });
  for (const by of ["plugin", "package"]) {
    await set("by", by);
    const { ok, steps, text } = await deployment.up();
    expect(ok, text).toBe(true);
    const unchanged = ["fleet", "single"].map((name) => ({ op: "update", name, differences: [] }));
    expect(steps.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual(unchanged);
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true, steps: [] });
    expect(await deployment.refresh()).toMatchObject({ ok: true, steps: [] });
    expect(await deployment.outputs()).toEqual({ paths: PATHS });
  }
});
