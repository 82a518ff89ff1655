import { describe, expect, it, type TestContext } from "vitest";
import type { Run } from "../deployment/deployment.ts";
import { configure, makeProgramFolder, PROJECT_ID } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { requireHost } from "./require-host.ts";

const WAYS = ["package", "plugin"] as const;
const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const IDS = Array.from({ length: 20 }, (_, index) => id(index));
const child = (index: number) => `fleet-${id(index)}-monitoring`;
/** A map of projects that are called by their ids. */
const byId = (...ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, id]));
const byName = (a: { readonly name: string }, b: { readonly name: string }) => a.name.localeCompare(b.name);
/** Each run of the CLI takes seconds. */
const LIMIT = { timeout: 300_000 };
const installed = usePluginFolder();

/** Opens a program with a fleet, and a service that knows its projects. */
async function open(context: TestContext, by: (typeof WAYS)[number], args: object, settings: object = {}) {
  const { path: folders } = requireHost(context, "nodejs");
  const { directory, service } = await makeProgramFolder(context, "agent-log-configs");
  const env = {
    PATH: installed.pathWith(folders),
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
  };
  const deployment = await openRealDeployment(directory, env, process.execPath);
  context.onTestFinished(() => deployment.close());
  const set = (key: string, value: unknown) =>
    deployment.setConfig(`agent-log-configs:${key}`, typeof value === "string" ? value : JSON.stringify(value));
  const setArgs = (changed: object) =>
    set("args", { projects: byId(...IDS), agents: ["monitoring"], ...args, ...changed });
  await configure(deployment, service, "agent-log-configs", { by, ...settings });
  await setArgs({});
  for (const [index, projectId] of IDS.entries()) service.set(projectId, "monitoring", { logPath: `/log/${index}` });
  return { deployment, service, set, setArgs };
}

describe.each(WAYS)("a fleet of the %s", (by) => {
  it("shows all drift, names all that can't be read, and records what it can", LIMIT, async (context) => {
    const { deployment, service, set, setArgs } = await open(
      context,
      by,
      { projects: byId(...IDS.slice(0, 18)) },
      { hooked: "true" },
    );
    expect(await deployment.up()).toMatchObject({ ok: true });
    const gone = [3, 7, 11];
    for (const index of gone) service.set(id(index), "monitoring", undefined);
    for (const index of [5, 9]) service.set(id(index), "monitoring", { logPath: "/drifted" });
    const drift = [5, 9].map((index) => ({
      op: "update",
      name: child(index),
      differences: [`logPath: "/log/${index}" => "/drifted"`],
    }));
    const { exitCode, steps, text } = await deployment.preview();
    // A preview of the plugin has a step without a difference for a resource that fails.
    const changed = steps.filter(({ name }) => !gone.map(child).includes(name));
    expect(changed.sort(byName)).toEqual(drift);
    for (const index of gone) expect(text).toContain(id(index));
    expect(text.match(/there is no such project/g)).toHaveLength(1);
    expect(exitCode).toBe(1);
    for (const index of [5, 9]) expect(text).toContain(`A hook runs for ${id(index)}/monitoring.`);

    // An engine that goes on records all that can be recorded, new or not. What depends on the fleet is not created.
    await setArgs({ projects: byId(...IDS) });
    await set("consumed", "true");
    gone.push(19);
    service.set(id(19), "monitoring", undefined);
    const ended = await deployment.run(["up", "--yes", "--continue-on-error"]);
    expect(ended).toMatchObject({ exitCode: 1, text: expect.not.stringContaining("Updating (dev):") });
    expect(ended.text).not.toContain("has failed.");
    const run = await deployment.run(["up", "--yes", "--skip-preview", "--continue-on-error"]);
    expect(run.exitCode).toBe(1);
    for (const index of gone) expect(run.text).toContain(`of project ${id(index)}`);
    for (const index of gone) service.set(id(index), "monitoring", { logPath: `/log/${index}` });
    const signed = () => service.requests.filter(({ headers }) => headers.authorization !== undefined).length;
    const before = signed();
    const recovered = await deployment.up();
    expect(signed() - before).toBe(20);
    expect(recovered.steps).toEqual([child(19), "consumer"].map((name) => ({ op: "create", name })));
  });

  it("is judged by the project that a name gets, whatever it ignores of the one before", LIMIT, async (context) => {
    const named = (index: number, logPath: string) => {
      return { projects: { orders: id(index) }, expect: { logPath } };
    };
    const ignoring = { ignoreChanges: ["logPath"] };
    const { deployment, setArgs } = await open(context, by, named(1, "/log/1"), ignoring);
    expect(await deployment.up()).toMatchObject({ ok: true });
    await setArgs(named(2, "/log/1"));
    const unmet = await deployment.preview();
    expect([unmet.ok, unmet.text]).toEqual([false, expect.stringContaining('logPath is "/log/2", expected "/log/1"')]);
    await setArgs(named(2, "/log/2"));
    for (const run of [await deployment.preview(), await deployment.up()]) expect(run.ok, run.text).toBe(true);
    expect(await deployment.outputs()).toEqual({ paths: { "orders/monitoring": "/log/2" } });
  });

  it(
    "is read, compared and recorded by its targets alone, and keeps the output of the others",
    LIMIT,
    async (context) => {
      const { deployment, service, setArgs } = await open(context, by, { projects: byId(id(1), id(2)) });
      expect(await deployment.up()).toMatchObject({ ok: true });
      service.set(id(1), "monitoring", { logPath: "/drifted" });
      service.set(id(2), "monitoring", undefined);
      await setArgs({ projects: byId(id(1), id(2), id(3)) });
      const drift = { op: "update", name: child(1), differences: ['logPath: "/log/1" => "/drifted"'] };
      const { ok, steps, text } = await deployment.run([
        "preview",
        `--exclude=**${child(2)}`,
        `--exclude=**${child(3)}`,
      ]);
      expect(ok, text).toBe(true);
      expect(steps).toEqual([drift]);
      const updated = await deployment.run(["up", "--yes", "--skip-preview", `--target=**${child(1)}`]);
      expect(updated.ok, updated.text).toBe(true);
      expect(updated.steps).toEqual([drift]);
      const { paths } = await deployment.outputs();
      expect(paths).toMatchObject({ [`${id(1)}/monitoring`]: "/drifted", [`${id(2)}/monitoring`]: "/log/2" });
      service.respondWith(() => ({ status: 503 }));
      expect(await deployment.run(["destroy", "--yes", "--skip-preview", "--run-program"])).toMatchObject({ ok: true });
      expect(JSON.stringify(await deployment.exportState())).not.toContain(id(1));
    },
  );
});

it("has an unknown output in a preview that does not ask the provider for a member", LIMIT, async (context) => {
  const { deployment, set, setArgs } = await open(context, "package", { projects: byId(id(1)) }, { late: "true" });
  const first = await deployment.preview();
  expect(first.ok, first.text).toBe(true);
  expect(first.text).toMatch(/ input: \[unknown\]/);
  await set("late", "false");
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(await deployment.outputs()).toEqual({ paths: { [`${id(1)}/monitoring`]: "/log/1" } });

  const list = { op: "update", name: "list", differences: [expect.stringMatching(/^input: \{.*\} => \[unknown\]$/)] };
  await set("late", "true");
  const connected = await deployment.preview();
  expect(connected.steps, connected.text).toContainEqual(list);
  await set("late", "false");
  await setArgs({ projects: byId(id(1), id(2)) });
  const targeted = await deployment.run(["preview", "--target=**list"]);
  expect(targeted.steps, targeted.text).toContainEqual(list);
});

it.for([["package", "plugin"] as const, ["plugin", "package"] as const])(
  "moves in place with its names, and beside a single record, from the %s to the %s and back",
  LIMIT,
  async ([from, to], context) => {
    const projects = { orders: id(1), billing: id(2), "created-0": id(5) };
    const named = { projects };
    const settings = { single: PROJECT_ID, protect: "true" };
    const { deployment, set, setArgs } = await open(context, from, named, settings);
    expect(await deployment.up()).toMatchObject({ ok: true });
    const paths = { "orders/monitoring": "/log/1", "billing/monitoring": "/log/2", "created-0/monitoring": "/log/5" };
    expect(await deployment.outputs()).toEqual({ paths });
    for (const by of [to, from]) {
      await set("by", by);
      const { ok, steps, text } = await deployment.up();
      expect(ok, text).toBe(true);
      expect(new Set(steps.map(({ op }) => op))).toEqual(new Set(["update"]));
      expect(steps.flatMap(({ differences = [] }) => differences)).toEqual([]);
      expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true, steps: [] });
      expect(await deployment.refresh()).toMatchObject({ ok: true, steps: [] });
    }
    // A second name of a project has a record of its own. The protected record of a name stays, whose project another resource
    // now creates, and a new name has a child.
    await setArgs({ projects: { ...projects, archive: id(2) } });
    await set("created", [id(5), id(6)]);
    const ofFleet = ({ steps }: Run) => steps.filter(({ name }) => name.startsWith("fleet-")).toSorted(byName);
    const created = ["archive", "created-1"].map((name) => ({ op: "create", name: `fleet-${name}-monitoring` }));
    const preview = await deployment.preview();
    expect(preview.ok, preview.text).toBe(true);
    const unknown = { op: "update", name: "fleet-created-0-monitoring" };
    expect(ofFleet(preview)).toMatchObject([created[0], unknown, created[1]]);
    const update = await deployment.up();
    expect([update.ok, ofFleet(update)], update.text).toEqual([true, created]);
    const added = { "archive/monitoring": "/log/2", "created-1/monitoring": "/log/6" };
    expect(await deployment.outputs()).toEqual({ paths: { ...paths, ...added } });
  },
);
