import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { type Service, startService } from "../../sdk/testing/index.ts";
import { configure, PRIVATE_KEY, skipWithout } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { startPlugin } from "./plugin-process.ts";
import { requireHost } from "./require-host.ts";

const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const ids = (count: number) => Array.from({ length: count }, (_, index) => id(index));
const child = (index: number, of = "fleet") => `${of}-${id(index)}-monitoring`;
/** Each run of the CLI takes seconds. */
const LIMIT = { timeout: 300_000 };
const installed = usePluginFolder();

interface Fleet {
  readonly projectIds: readonly string[];
  readonly [argument: string]: unknown;
}

/** The resources of a program in YAML. */
const fleetOf = ({ projectIds, ...rules }: Fleet, options: object = {}) => ({
  type: "agent-log-config:AgentLogConfigs",
  properties: { projectIds, agents: ["monitoring"], ...rules },
  options,
});
const recordOf = (index: number, options: object = {}) => ({
  type: "agent-log-config:AgentLogConfig",
  properties: { projectId: id(index), agent: "monitoring" },
  options,
});

const reference = (resource: string) => `\${${resource}}`;

/** Opens a stack of a program in YAML, and a service that knows 30 projects. */
async function open(context: TestContext, env: Readonly<Record<string, string>> = {}) {
  const { path: folders } = requireHost(context, "yaml");
  const directory = await mkdtemp(path.join(tmpdir(), "failures-"));
  const service = await startService({ privateKey: PRIVATE_KEY });
  onTestFinished(async () => {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });
  for (const [index, projectId] of ids(30).entries())
    service.set(projectId, "monitoring", { logPath: `/log/${index}` });
  const write = (resources: object) =>
    writeFile(path.join(directory, "Pulumi.yaml"), JSON.stringify({ name: "failures", runtime: "yaml", resources }));
  await write({});
  const PATH = installed.pathWith(folders);
  const deployment = await openRealDeployment(directory, { ...env, PATH }, process.execPath);
  onTestFinished(() => deployment.close());
  await configure(deployment, service, "failures", {});
  await deployment.setConfig("agent-log-config:maxRetries", "0");
  /** The names of the records in the state. */
  const recorded = async () => {
    const state = JSON.stringify(await deployment.exportState());
    return Array.from(
      state.matchAll(/"urn":"[^"]*::([^":]+)","custom":true,"id":"[^"]+\/monitoring"/g),
      ([, name]) => name,
    );
  };
  return { deployment, service, write, recorded };
}

const gone = (service: Service, ...indices: readonly number[]) => {
  for (const index of indices) service.set(id(index), "monitoring", undefined);
};

describe("a fleet of which some fail", () => {
  const failing = Array.from({ length: 10 }, (_, index) => 3 * index);

  it(
    "records the others in an update that is told to go on, and names each child that fails",
    LIMIT,
    async (context) => {
      const { deployment, service, write, recorded } = await open(context);
      await write({ fleet: fleetOf({ projectIds: ids(30) }) });
      gone(service, ...failing);
      const { exitCode, text } = await deployment.run(["up", "--yes", "--skip-preview", "--continue-on-error"]);
      expect(exitCode).not.toBe(0);
      expect((await recorded()).toSorted()).toEqual(
        ids(30).flatMap((_, index) => (failing.includes(index) ? [] : [child(index)])),
      );
      for (const index of failing) expect(text).toContain(`of project ${id(index)}`);
    },
  );

  it("fails for a malformed id after the others are compared", LIMIT, async (context) => {
    const { deployment, service, write } = await open(context);
    await write({ fleet: fleetOf({ projectIds: ids(2) }) });
    expect(await deployment.up()).toMatchObject({ ok: true });
    service.set(id(0), "monitoring", { logPath: "/drifted" });
    await write({ fleet: fleetOf({ projectIds: ["malformed", id(0), id(1)] }) });
    const { exitCode, steps, text } = await deployment.preview();
    expect(exitCode).toBe(1);
    expect(steps.filter(({ op }) => op === "delete")).toEqual([]);
    expect(steps).toContainEqual(expect.objectContaining({ op: "update", name: child(0) }));
    expect(text).toContain("fleet-malformed-monitoring");
    expect(text.match(/projectId must be 24 hexadecimal digits/g)).toHaveLength(1);
  });
});

it("tells of each of two services that are down, and ends no bystander with a message", LIMIT, async (context) => {
  const { deployment, service, write } = await open(context);
  const west = { type: "pulumi:providers:agent-log-config", properties: { baseUrl: "http://127.0.0.1:9/" } };
  const slow = {
    type: "pulumi:providers:agent-log-config",
    properties: { baseUrl: service.baseUrl, timeoutSeconds: 3 },
  };
  await write({
    west,
    slow,
    refused: recordOf(1, { provider: reference("west") }),
    late: recordOf(2, { provider: reference("slow") }),
    bystander: fleetOf({ projectIds: ids(3) }),
  });
  service.failNext(...Array(10).fill({ delaySeconds: 60 }));
  const { exitCode, text } = await deployment.preview();
  expect(exitCode).toBe(1);
  expect(text).toMatch(/#err_connection/);
  expect(text).toMatch(/#err_timeout/);
  expect(text).not.toMatch(/'bystander' has a problem|given up/);
});

it("names every cause and every resource of a refresh that fails, each cause once", LIMIT, async (context) => {
  const { deployment, service, write } = await open(context);
  await write({ one: recordOf(1), two: recordOf(2), three: recordOf(3) });
  expect(await deployment.up()).toMatchObject({ ok: true });
  const refused = { status: 403, body: JSON.stringify({ error: 403, errorCode: "USER_UNAUTHORIZED" }) };
  service.failNext({ status: 500 }, refused, { status: 500 });
  const { exitCode, text } = await deployment.refresh();
  expect(exitCode).toBe(1);
  const causes = text.match(/error: .*Can't read .*/g) ?? [];
  expect(causes).toHaveLength(2);
  expect(causes.filter((cause) => cause.includes("USER_UNAUTHORIZED"))).toHaveLength(1);
  expect(causes.find((cause) => cause.includes("status 500"))).toMatch(/ The same applies to (one|two|three)\.$/);
});

it("keeps the old record where the new project of a replacement can't be read", LIMIT, async (context) => {
  const { deployment, service, write, recorded } = await open(context);
  await write({ one: recordOf(1) });
  expect(await deployment.up()).toMatchObject({ ok: true });
  gone(service, 2);
  await write({ one: { ...recordOf(2), options: { deleteBeforeReplace: true } } });
  expect(await deployment.run(["up", "--yes", "--skip-preview"])).toMatchObject({ exitCode: 1 });
  expect(await recorded()).toEqual(["one"]);
  expect(JSON.stringify(await deployment.exportState())).toContain(`${id(1)}/monitoring`);
});

it("warns once of an outage in which 300 records are used, with 50 names", LIMIT, async (context) => {
  const { deployment, service, write } = await open(context);
  for (const projectId of ids(300)) service.set(projectId, "monitoring", { logPath: "/log" });
  await write({ fleet: fleetOf({ projectIds: ids(300), whenUnavailable: "useRecorded" }) });
  expect(await deployment.up()).toMatchObject({ ok: true });
  service.respondWith({ status: 503 });
  const { exitCode, text } = await deployment.run(["preview", "--diff"]);
  expect(exitCode).toBe(0);
  const [warning = "", ...others] = text.match(/AgentLogConfig .* use the recorded settings.*/g) ?? [];
  expect([warning.match(/fleet-/g)?.length, others]).toEqual([50, []]);
  expect(text.trim().split("\n").length).toBeLessThan(20);
  expect(warning).toMatch(
    / and 250 others use the recorded settings, the oldest of which were first read .*status 503/,
  );
});

it("forgets what was refused in an earlier run of an engine that attaches to it", LIMIT, async (context) => {
  skipWithout(context, "real");
  const plugin = await startPlugin(installed.module());
  onTestFinished(() => plugin.stop());
  const { deployment, service, write } = await open(context, {
    PULUMI_DEBUG_PROVIDERS: `agent-log-config:${plugin.port}`,
  });
  await write({ one: recordOf(1) });
  service.rotateKey("another");
  expect((await deployment.preview()).text).toContain("#err_wrong_key");
  service.rotateKey(PRIVATE_KEY);
  expect(await deployment.preview()).toMatchObject({ ok: true, steps: [{ op: "create", name: "one" }] });
});
