import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, type TestContext, vi } from "vitest";
import { cliEnvironment } from "../deployment/cli-environment.ts";
import { openDeployment } from "../deployment/open-deployment.ts";
import { configure, makeProgramFolder, PRIVATE_KEY } from "../deployment/open-program.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { requireHost } from "./require-host.ts";

const WAYS = ["package", "plugin"] as const;
const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const IDS = Array.from({ length: 20 }, (_, index) => id(index));
const child = (index: number) => `fleet-${id(index)}-monitoring`;
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
  const deployment = await openDeployment({ directory, engine: "real", env });
  context.onTestFinished(() => deployment.close());
  const set = (key: string, value: unknown) =>
    deployment.setConfig(`agent-log-configs:${key}`, typeof value === "string" ? value : JSON.stringify(value));
  const setArgs = (changed: object) => set("args", { projectIds: IDS, agents: ["monitoring"], ...args, ...changed });
  await configure(deployment, service, "agent-log-configs", { by, ...settings });
  await setArgs({});
  for (const [index, projectId] of IDS.entries()) service.set(projectId, "monitoring", { logPath: `/log/${index}` });
  /** The requests of a run that carry credentials. */
  const countSigned = async (run: Promise<unknown>) => {
    const signed = () => service.requests.filter(({ headers }) => headers.authorization !== undefined).length;
    const before = signed();
    await run;
    return signed() - before;
  };
  return { deployment, service, set, setArgs, countSigned };
}

describe.each(WAYS)("a fleet of the %s", (by) => {
  it("shows all drift and names all that can't be read, and the reason of an outage once", LIMIT, async (context) => {
    const { deployment, service, countSigned, setArgs } = await open(
      context,
      by,
      { whenUnavailable: "useRecorded" },
      { consumed: "true", hooked: "true" },
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
    for (const run of ["preview", "up"] as const) {
      const { exitCode, steps, text } = await deployment[run]();
      // A preview of the plugin has a step without a difference for a resource that fails.
      const changed = steps.filter(({ name }) => !gone.map(child).includes(name));
      expect(changed.sort(byName)).toEqual(drift);
      for (const index of gone) expect(text).toContain(id(index));
      expect(text.match(/there is no such project/g)).toHaveLength(1);
      expect(exitCode).toBe(1);
      for (const index of [5, 9]) expect(text).toContain(`A hook runs for ${id(index)}/monitoring.`);
    }
    for (const index of gone) service.set(id(index), "monitoring", { logPath: `/log/${index}` });
    expect(await countSigned(deployment.up())).toBe(20);

    service.respondWith({ status: 503 });
    const outage = await deployment.preview({ expectNoChanges: true });
    expect(outage).toMatchObject({ exitCode: 0, steps: [] });
    expect(outage.text.match(/status 503/g)).toHaveLength(1);
    await setArgs({ projectIds: [...IDS, id(77), "malformed"] });
    const { exitCode, text } = await deployment.preview();
    expect(exitCode).toBe(1);
    for (const named of [id(77), "malformed", "Nothing was read"]) expect(text).toContain(named);
  });

  it("follows its list", LIMIT, async (context) => {
    const { deployment, service, set, setArgs } = await open(context, by, { projectIds: [id(1), id(2)] });
    expect((await deployment.up()).steps.map(({ name }) => name)).toContain(child(2));
    await setArgs({ projectIds: [id(1), id(1).toUpperCase(), id(1)] });
    expect((await deployment.up()).steps).toEqual([{ op: "delete", name: child(2) }]);
    // A project that this program creates is not known in the preview, and the others stay.
    await set("created", [id(4)]);
    const { ok, steps } = await deployment.preview();
    expect([ok, steps.filter(({ name }) => name !== child(4))]).toEqual([
      true,
      [{ op: "create", name: `project-${id(4)}` }],
    ]);
    await set("secrets", [id(3)]);
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.outputs()).toEqual({ paths: "[secret]" });
    expect(JSON.stringify(await deployment.exportState())).not.toContain(`"${id(3)}"`);

    service.set(id(1), "monitoring", { logPath: "/drifted" });
    service.set(id(4), "monitoring", undefined);
    const refresh = await deployment.refresh();
    expect(refresh.text).toContain('"/log/1" => "/drifted"');
    expect(refresh.text).toContain(`A refresh removes AgentLogConfig ${id(4)}/monitoring from the state.`);
    await set("protect", "true");
    service.set(id(4), "monitoring", {});
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.destroy()).toMatchObject({ ok: false, text: expect.stringContaining(child(1)) });
    await set("protect", "false");
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.destroy()).toMatchObject({ ok: true });
  });

  it("reads with its provider", async (context) => {
    const { deployment, service, set } = await open(context, by, {});
    const west = { baseUrl: service.baseUrl, publicKey: "publickey", privateKey: PRIVATE_KEY, allowHttp: true };
    await deployment.unsetConfig("agent-log-config:baseUrl");
    await set("west", west);
    expect(await deployment.up()).toMatchObject({ ok: true });
    service.set(id(3), "monitoring", { logPath: "/drifted" });
    const { text } = await deployment.refresh();
    expect(text).toContain('"/log/3" => "/drifted"');
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ exitCode: 0 });
  });
});

it.for([["package", "plugin", "package"] as const, ["plugin", "package", "plugin"] as const])(
  "moves in place, from the %s to the %s and back",
  async (ways, context) => {
    const { deployment, set } = await open(context, ways[0], { whenUnavailable: "useRecorded" }, { consumed: "true" });
    expect(await deployment.up()).toMatchObject({ ok: true });
    for (const by of ways.slice(1)) {
      await set("by", by);
      const { ok, steps, text } = await deployment.up();
      expect(ok, text).toBe(true);
      // The engine takes a secret that is absent for a change, once.
      const absent = ["configOverrides: [secret] => null", "configOverrides: null => [secret]"];
      const changes = steps.map(({ op, name, differences = [] }) => [
        op,
        name.startsWith("fleet-") && differences.every((difference) => absent.includes(difference)),
      ]);
      expect(changes.filter(([op, isExpected]) => op !== "update" || !isExpected)).toEqual([]);
      expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true, steps: [] });
      expect(await deployment.refresh()).toMatchObject({ ok: true, steps: [] });
    }
  },
);

it.for([["package", "plugin"] as const, ["plugin", "package"] as const])(
  "goes over to names in place, in the %s, and moves with them to the %s and back",
  LIMIT,
  async ([from, to], context) => {
    const { deployment, service, set, setArgs } = await open(context, from, {
      projectIds: [id(1), id(2), id(3), id(4)],
    });
    expect(await deployment.up()).toMatchObject({ ok: true });
    service.set(id(2), "monitoring", { logPath: "/drifted" });
    const names = { projectIds: undefined, projects: { orders: id(1), billing: id(2), [id(4)]: id(4) } };
    await setArgs(names);
    const named = await deployment.up();
    expect(named.ok, named.text).toBe(true);
    expect(named.steps.toSorted(byName)).toEqual([
      { op: "delete", name: child(3) },
      { op: "update", name: "fleet-billing-monitoring", differences: ['logPath: "/log/2" => "/drifted"'] },
    ]);
    expect(await deployment.outputs()).toEqual({ paths: ["/log/4", "/drifted", "/log/1"] });
    for (const by of [to, from]) {
      await set("by", by);
      const { ok, steps, text } = await deployment.up();
      expect(ok, text).toBe(true);
      expect(new Set(steps.map(({ op }) => op))).toEqual(new Set(["update"]));
      expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true, steps: [] });
    }
    // A second name of a project has a record of its own, and a project that this program creates has one once it is known.
    await setArgs({ ...names, projects: { ...names.projects, archive: id(2) } });
    await set("created", [id(5)]);
    expect(await deployment.preview()).toMatchObject({ ok: true });
    const { ok, steps, text } = await deployment.up();
    expect(ok, text).toBe(true);
    expect(steps.toSorted(byName)).toEqual(
      ["fleet-archive-monitoring", "fleet-created-0-monitoring", `project-${id(5)}`].map((name) => ({
        op: "create",
        name,
      })),
    );
  },
);

it.for([["package", "plugin"] as const, ["plugin", "package"] as const])(
  "goes over to names and from the %s to the %s at once, in place",
  LIMIT,
  async ([from, to], context) => {
    const { deployment, set, setArgs } = await open(context, from, { projectIds: [id(1)] });
    expect(await deployment.up()).toMatchObject({ ok: true });
    await set("by", to);
    // Only one of two names can have been the one that is recorded.
    await setArgs({ projectIds: undefined, projects: { orders: id(1), shop: id(1) } });
    const { ok, steps, text } = await deployment.up();
    expect(ok, text).toBe(true);
    expect(steps.toSorted(byName)).toMatchObject([
      { op: "update", name: "fleet-orders-monitoring" },
      { op: "create", name: "fleet-shop-monitoring" },
    ]);
  },
);

it.for(WAYS)("says in one sentence how to name projects, in the %s", LIMIT, async (by, context) => {
  const { deployment, setArgs } = await open(context, by, { projects: { orders: id(1) }, projectIds: undefined });
  for (const [args, sentence] of [
    [
      { projects: { "": id(1) } },
      '"" can\'t be the name of a project: begin with a letter or a digit, and take at most',
    ],
    [
      { projects: { "-a": id(1) } },
      '"-a" can\'t be the name of a project: begin with a letter or a digit, and take at',
    ],
    [{ projects: { a: "b" } }, "projectId must be 24 hexadecimal digits"],
  ] as const) {
    await setArgs({ projectIds: undefined, ...args });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text.split(sentence), text).toHaveLength(2);
  }
});

it.for(WAYS)("ends with Ctrl-C while the reads of the %s hang", async (by, context) => {
  const { path: folders, command } = requireHost(context, "nodejs");
  const { directory, service } = await makeProgramFolder(context, "agent-log-configs");
  const [home, backend] = [path.join(directory, "home"), path.join(directory, "backend")];
  await mkdir(backend);
  const connection = {
    AGENT_LOG_CONFIG_BASE_URL: service.baseUrl,
    AGENT_LOG_CONFIG_PUBLIC_KEY: "publickey",
    AGENT_LOG_CONFIG_PRIVATE_KEY: PRIVATE_KEY,
    AGENT_LOG_CONFIG_ALLOW_HTTP: "true",
  };
  const env = cliEnvironment(`${installed.plugins()}${path.delimiter}${folders}`, { home, backend }, connection);
  const run = (args: readonly string[]) => spawn(command, args, { cwd: directory, env, stdio: "ignore" });
  const set = ["config", "set", "--"];
  for (const args of [
    ["stack", "init", "dev"],
    [...set, "args", JSON.stringify({ projectIds: IDS })],
    [...set, "by", by],
  ]) {
    expect(await once(run(args), "exit")).toEqual([0, null]);
  }
  service.failNext(...Array(100).fill({ delaySeconds: 300 }));
  const preview = run(["preview", "--non-interactive"]);
  const ended = once(preview, "exit");
  await vi.waitUntil(() => service.requests.length > 1, { timeout: 60_000 });
  preview.kill("SIGINT");
  const [exitCode] = await ended;
  expect(exitCode).not.toBe(0);
});
