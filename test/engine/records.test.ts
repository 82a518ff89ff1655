import { describe, expect, it, type TestContext } from "vitest";
import { type Service, startService } from "../../sdk/testing/index.ts";
import type { Deployment } from "../deployment/deployment.ts";
import {
  ENGINES,
  type EngineName,
  openProgram,
  openRealProgram,
  PROJECT_ID,
  SETTINGS,
} from "../deployment/open-program.ts";

const OTHER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };

interface Opened {
  readonly deployment: Deployment;
  readonly service: Service;
  use(settings: Readonly<Record<string, unknown>>): Promise<void>;
}

async function open(
  context: TestContext,
  engine: EngineName,
  variant: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Opened> {
  const { deployment, service } = await openProgram(context, engine, "variants", { variant, args: ARGS, ...settings });
  service.set(OTHER, "monitoring", { logPath: "/other/monitoring.log" });
  const use = async (changed: Readonly<Record<string, unknown>>) => {
    const texts = Object.entries(changed).map(([key, value]) => [
      `variants:${key}`,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    await deployment.setConfigs(Object.fromEntries(texts));
  };
  return { deployment, service, use };
}

async function startWest(context: TestContext): Promise<string> {
  const west = await startService({ settings: { [PROJECT_ID]: { monitoring: { logPath: "/west/monitoring.log" } } } });
  context.onTestFinished(() => west.close());
  return west.baseUrl;
}

async function recordIn(deployment: Deployment): Promise<Readonly<Record<string, unknown>>> {
  const { deployment: state } = JSON.parse(JSON.stringify(await deployment.exportState()));
  const found = state.resources.find(({ type }: { type: string }) => type.endsWith(":AgentLogConfig"));
  return found.outputs;
}

// The stand-in engine has no transforms.
describe("a record on the real engine belongs to what it names", () => {
  it.for([
    { variant: "a transformation", other: { projectId: OTHER }, logPath: "/other/monitoring.log" },
    { variant: "a transformation", other: { agent: "backup" }, logPath: "/var/log/backup-agent.log" },
    { variant: "an asynchronous transform", other: { projectId: OTHER }, logPath: "/other/monitoring.log" },
    { variant: "a transform of the provider", other: {}, logPath: "/west/monitoring.log" },
    { variant: "a map of providers", other: {}, logPath: "/west/monitoring.log" },
  ])("after $variant to $other", async ({ variant, other, logPath }, context) => {
    const { deployment } = await open(context, "real", variant, { other, westUrl: await startWest(context) });
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await recordIn(deployment)).toMatchObject({ ...ARGS, ...other, logPath });
    expect(await deployment.preview({ expectNoChanges: true, refresh: true })).toMatchObject({ ok: true });
  });

  it("and is not changed by a refresh that finds the same where it is only adopted", async (context) => {
    const { deployment } = await open(context, "real", "adopted");
    await deployment.up();
    const { __unchangedSince: before } = await recordIn(deployment);
    const { text } = await deployment.refresh();
    expect(text).toMatch(/2 unchanged/);
    expect((await recordIn(deployment))["__unchangedSince"]).toBe(before);
    expect((await deployment.preview()).text).not.toMatch(/- logPath/);
  });

  it("where a transform makes it one that is not as expected", async (context) => {
    const args = { ...ARGS, expect: { logPath: SETTINGS.logPath } };
    const { deployment } = await open(context, "real", "a transformation", { args, other: { projectId: OTHER } });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toContain('logPath is "/other/monitoring.log", expected "/var/log/monitoring-agent.log"; change it');
  });
});

describe.each(ENGINES)("a record on the %s engine", (engine) => {
  it("belongs to the old project where a change of it is ignored", async (context) => {
    const options = { ignoreChanges: ["projectId", "agent"] };
    const { deployment, use } = await open(context, engine, "plain", { options });
    expect(await deployment.up()).toMatchObject({ ok: true });
    // The program reads a project that does not exist, and the provider reads the one of the record.
    await use({ args: { ...ARGS, projectId: "b".repeat(24), whenUnavailable: "useRecorded" } });
    const { ok, text } = await deployment.up();
    expect(ok).toBe(true);
    expect(text).not.toContain(" uses the ");
    expect(await recordIn(deployment)).toMatchObject({ ...ARGS, logPath: SETTINGS.logPath });
  });

  it("is used in an outage by previews and refreshes alike, also after a change of the address", async (context) => {
    const args = { ...ARGS, whenUnavailable: "useRecorded" };
    const { deployment } = await open(context, engine, "plain", { args });
    await deployment.setConfig("agent-log-config:maxRetries", "0");
    await deployment.up();
    const other = await startService({ settings: { [PROJECT_ID]: { monitoring: SETTINGS } } });
    context.onTestFinished(() => other.close());
    await deployment.setConfig("agent-log-config:baseUrl", other.baseUrl);

    other.respondWith({ status: 503 });
    const refused = await deployment.preview();
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain("The recorded settings come from another service, so they are not used.");
    other.respondWith(undefined);
    const unchanged = await deployment.up();
    expect(unchanged).toMatchObject({ ok: true, steps: [] });

    other.respondWith({ status: 503 });
    const outage = [await deployment.preview({ expectNoChanges: true }), await deployment.refresh()];
    for (const run of outage) {
      expect(run).toMatchObject({ ok: true, steps: [] });
      expect(run.text).toContain("uses the recorded settings, which were first read less than a minute ago");
    }
    other.respondWith(undefined);
    other.set(PROJECT_ID, "monitoring", { ...SETTINGS, logPath: "/drifted" });
    await deployment.setConfig("agent-log-config:baseUrl", `${other.baseUrl}/`);
    const drift = await deployment.preview();
    expect(drift.text).toContain("/drifted");
    for (const { text } of [refused, unchanged, ...outage, drift]) expect(text).not.toContain("__service");
  });

  it("refuses by name what the engine would take for a file", async (context) => {
    const { deployment, service, use } = await open(context, engine, "plain");
    const file = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", path: "/etc/hostname" };
    service.set(PROJECT_ID, "monitoring", { configOverrides: { a: [file] } });
    for (const variant of ["plain", "function"]) {
      await use({ variant });
      const { ok, text } = await deployment.preview();
      expect(ok).toBe(false);
      expect(text).toContain("can't be used in a Pulumi program: configOverrides has the key by which Pulumi marks");
    }
  });

  it("is created where an import is asked for, with a warning", async (context) => {
    const options = { import: `${PROJECT_ID}/monitoring` };
    const { deployment } = await open(context, engine, "plain", { options });
    const { ok, text } = await deployment.up();
    expect(ok).toBe(true);
    expect(text).toContain("The import option is ignored");
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true });
  });

  it("keeps what is named a secret out of previews and state", async (context) => {
    const options = { additionalSecretOutputs: ["username"] };
    const { deployment } = await open(context, engine, "plain", { options });
    const { text } = await deployment.up();
    const state = JSON.stringify(await deployment.exportState());
    for (const seen of [text, state]) expect(seen).not.toContain(SETTINGS.username);
  });
});

it("of another service stays one of that service in a refresh in an outage, on the real engine", async (context) => {
  const args = { ...ARGS, whenUnavailable: "useRecorded" };
  const { deployment } = await openRealProgram(context, "variants", { variant: "plain", args });
  await deployment.setConfig("agent-log-config:maxRetries", "0");
  expect(await deployment.up()).toMatchObject({ ok: true });
  const other = await startService();
  context.onTestFinished(() => other.close());
  other.respondWith({ status: 503 });
  await deployment.setConfig("agent-log-config:baseUrl", other.baseUrl);
  const refreshed = await deployment.run(["refresh", "--yes", "--skip-preview", "--run-program"]);
  expect(refreshed).toMatchObject({ ok: true, steps: [] });
  expect(refreshed.text).toContain("uses the recorded settings");
  const { ok, text } = await deployment.preview();
  expect(ok).toBe(false);
  expect(text).toContain("The recorded settings come from another service, so they are not used.");
});

describe("the stack configuration on the real engine", () => {
  it("stays secret in the state of a Provider", async (context) => {
    const { deployment } = await open(context, "real", "a secret connection");
    await deployment.setConfig("agent-log-config:publicKey", "publickey", { secret: true });
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(JSON.stringify(await deployment.exportState())).not.toContain('"publickey"');
  });

  it("warns about a plain-text key or an unknown name", async (context) => {
    const { deployment } = await open(context, "real", "plain");
    await deployment.setConfig("agent-log-config:privateKey", "private-key-0001");
    await deployment.setConfig("agent-log-config:baseURL", "https://example.com");
    const { text } = await deployment.preview();
    expect(text).toContain("warning: The stack keeps agent-log-config:privateKey in plain text");
    expect(text).toContain("warning: The stack configuration has unknown settings: agent-log-config:baseURL;");
  });
});
