import { describe, expect, it, type TestContext } from "vitest";
import { openService } from "../client/open-client.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { ENGINES, type EngineName, openProgram, PROJECT_ID, SETTINGS } from "../deployment/open-program.ts";

const OTHER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };

/** Opens the program with these settings. */
async function open(context: TestContext, engine: EngineName, settings: object) {
  const { deployment, service } = await openProgram(context, engine, "recorded", { args: ARGS, ...settings });
  service.set(OTHER, "monitoring", { logPath: "/other/monitoring.log" });
  const use = (args: object) => deployment.setConfig("recorded:args", JSON.stringify(args));
  return { deployment, use };
}

async function recordIn(deployment: Deployment): Promise<Readonly<Record<string, unknown>>> {
  const { deployment: state } = JSON.parse(JSON.stringify(await deployment.exportState()));
  const found = state.resources.find(({ type }: { type: string }) => type.endsWith(":AgentLogConfig"));
  return found.outputs;
}

// The stand-in engine has no transforms.
describe("a record on the real engine belongs to what it names", () => {
  it.for(["a transformation", "an asynchronous transform"])(
    "and is judged by it after %s",
    async (variant, context) => {
      const { deployment, use } = await open(context, "real", { variant, other: { projectId: OTHER } });
      expect(await deployment.up()).toMatchObject({ ok: true });
      expect(await recordIn(deployment)).toMatchObject({ ...ARGS, projectId: OTHER, logPath: "/other/monitoring.log" });
      expect(await deployment.run(["preview", "--refresh", "--expect-no-changes"])).toMatchObject({ ok: true });
      await use({ ...ARGS, expect: { logPath: SETTINGS.logPath } });
      const { ok, text } = await deployment.preview();
      expect(ok).toBe(false);
      expect(text).toContain('logPath is "/other/monitoring.log", expected "/var/log/monitoring-agent.log"; change it');
    },
  );

  it("and is not changed by a refresh that finds the same where it is only adopted, by a well-formed id", async (context) => {
    const { deployment, use } = await open(context, "real", { variant: "adopted" });
    await deployment.up();
    expect(await deployment.outputs()).toMatchObject({ logPath: SETTINGS.logPath });
    expect((await deployment.refresh()).text).toMatch(/3 unchanged/);
    // Each run reads it anew, and finds nothing to show.
    expect((await deployment.run(["preview", "--diff"])).text).not.toContain("~ ");
    expect((await deployment.preview()).text).not.toMatch(/- logPath/);
    await use({ ...ARGS, agent: "" });
    expect((await deployment.preview()).text).toMatch(
      /error: The id "\w+\/" does not have the form <projectId>\/<agent>, such as .*monitoring\. See https:\S+$/m,
    );
  });
});

describe.each(ENGINES)("a record on the %s engine", (engine) => {
  it("belongs to the old project where a change of it is ignored", async (context) => {
    const options = { ignoreChanges: ["projectId", "agent"] };
    const { deployment, use } = await open(context, engine, { options });
    expect(await deployment.up()).toMatchObject({ ok: true });
    // The program reads a project that does not exist, and the provider reads the one of the record.
    await use({ ...ARGS, projectId: "b".repeat(24), whenUnavailable: "useRecorded" });
    const { ok, text } = await deployment.up();
    expect(ok).toBe(true);
    expect(text).not.toContain(" uses the ");
    expect(await recordIn(deployment)).toMatchObject({ ...ARGS, logPath: SETTINGS.logPath });
  });

  it("is created where an import is asked for, and is used in an outage by previews and refreshes alike, also after a change of the address", async (context) => {
    const args = { ...ARGS, whenUnavailable: "useRecorded" };
    const options = { import: `${PROJECT_ID}/monitoring` };
    const { deployment } = await open(context, engine, { args, options });
    await deployment.setConfig("agent-log-config:maxRetries", "0");
    expect(await deployment.up()).toMatchObject({ ok: true });
    const other = await openService({ settings: { [PROJECT_ID]: { monitoring: SETTINGS } } });
    await deployment.setConfig("agent-log-config:baseUrl", other.baseUrl);

    other.respondWith(() => ({ status: 503 }));
    const refused = await deployment.preview();
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain("the recorded settings come from another service, so they are not used");
    other.respondWith(undefined);
    const unchanged = await deployment.up();
    expect(unchanged).toMatchObject({ ok: true, steps: [] });

    other.respondWith(() => ({ status: 503 }));
    const outage = [await deployment.preview({ expectNoChanges: true }), await deployment.refresh()];
    for (const run of outage) {
      expect(run).toMatchObject({ ok: true, steps: [] });
      expect(run.text).toContain("uses the recorded settings.");
    }
    for (const { text } of [refused, unchanged, ...outage]) expect(text).not.toContain("__readTarget");
  });
});

it("warns on the real engine about a plain-text key or an unknown name in the stack configuration", async (context) => {
  const { deployment } = await open(context, "real", {});
  await deployment.setConfig("agent-log-config:privateKey", "private-key-0001");
  await deployment.setConfig("agent-log-config:baseURL", "https://example.com");
  const { text } = await deployment.preview();
  expect(text).toContain("warning: The stack keeps agent-log-config:privateKey in plain text");
  expect(text).toContain("warning: The stack configuration has unknown settings: agent-log-config:baseURL;");
});
