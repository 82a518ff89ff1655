import { describe, expect, it } from "vitest";
import { BOTH_ENGINES, openProgram, PRIVATE_KEY, PROJECT_ID, SECRETS, SETTINGS } from "../deployment/open-program.ts";

const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };

describe.each(BOTH_ENGINES)("AgentLogConfig on the %s engine", (engine) => {
  it("is recorded, shows drift, is updated, replaced and deleted", async (context) => {
    const settings = { args: ARGS, options: { ignoreChanges: ["username"] } };
    const { deployment, service } = await openProgram(context, engine, "recorded", settings);
    const use = (args: object) => deployment.setConfig("recorded:args", JSON.stringify({ ...ARGS, ...args }));

    expect(await deployment.up()).toMatchObject({
      ok: true,
      steps: [
        { op: "create", name: "settings" },
        { op: "create", name: "consumer" },
      ],
    });
    expect(await deployment.outputs()).toEqual({
      logPath: SETTINGS.logPath,
      configOverrides: "[secret]",
      usernameType: "string",
    });

    const logRotate = { sizeThresholdMB: 500.5, timeThresholdHrs: 24 };
    const configOverrides = { mmsApiKey: "body-api-key-0002" };
    service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logRotate, configOverrides, username: "ignored" });
    const drift = {
      op: "update",
      name: "settings",
      differences: ["logRotate.sizeThresholdMB: 1000 => 500.5"],
    };
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: false, steps: [drift] });
    const { ok, steps } = await deployment.refresh();
    expect({ ok, steps }).toMatchObject({ ok: true, steps: [{ name: "settings" }] });
    expect(steps[0]?.differences).toEqual(expect.arrayContaining(drift.differences));
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true, steps: [] });

    await use({ whenUnavailable: "useRecorded" });
    expect(await deployment.up()).toMatchObject({
      ok: true,
      steps: [{ op: "update", name: "settings", differences: ['whenUnavailable: "fail" => "useRecorded"'] }],
    });

    await use({ expect: { logPath: "/srv/log", logRotate: { sizeThresholdMB: { atMost: 500 } } } });
    const unexpected = await deployment.preview();
    expect(unexpected.ok).toBe(false);
    expect(unexpected.text.match(/error: AgentLogConfig .*/g)).toEqual([
      `error: AgentLogConfig ${PROJECT_ID}/monitoring: logPath is "/var/log/monitoring-agent.log", expected "/srv/log"; change it in the service, or change expect. This applies to the resource settings.`,
      `error: AgentLogConfig ${PROJECT_ID}/monitoring: logRotate.sizeThresholdMB is 500.5, expected at most 500; change it in the service, or change expect. This applies to the resource settings.`,
    ]);

    await deployment.unsetConfig("recorded:options");
    await use({ agent: "backup" });
    expect(await deployment.up()).toMatchObject({
      ok: true,
      steps: expect.arrayContaining([{ op: "replace", name: "settings" }]),
    });
    expect(await deployment.outputs()).toMatchObject({
      logPath: "/var/log/backup-agent.log",
      usernameType: "undefined",
    });
    const state = JSON.stringify(await deployment.exportState());
    for (const secret of [...SECRETS, configOverrides.mmsApiKey]) expect(state).not.toContain(secret);

    await service.close();
    expect(await deployment.destroy()).toMatchObject({ ok: true });
  });

  it("is removed from the state in a refresh only where the service says that the project does not exist", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "recorded", { args: ARGS });
    await deployment.up();
    service.respondWith(() => ({ status: 404, body: "<html>no such page</html>" }));
    expect(await deployment.refresh()).toMatchObject({ ok: false });
    service.respondWith(undefined);
    service.set(PROJECT_ID, "monitoring", undefined);
    service.set(PROJECT_ID, "backup", undefined);
    const { steps, text } = await deployment.refresh();
    expect(steps).toEqual([{ op: "delete", name: "settings" }]);
    expect(text).toContain(`AgentLogConfig ${PROJECT_ID}/monitoring is gone.`);
    expect(JSON.stringify(await deployment.exportState())).not.toContain("AgentLogConfig::settings");
  });
});

// What follows is about what the CLI prints, about its options, and about the connection that it keeps in the state.
describe("AgentLogConfig on the real engine", () => {
  it("is shown with all its settings and without its secrets", async (context) => {
    const { deployment, service } = await openProgram(context, "real", "recorded", { args: ARGS });
    const { text } = await deployment.preview();
    expect(text).toContain('logPath        : "/var/log/monitoring-agent.log"');
    expect(text).toContain("configOverrides: [secret]");
    expect(text).toContain("sizeThresholdMB : 1000");
    expect(text).not.toContain("[unknown]");
    await deployment.up();

    const configOverrides = { mmsApiKey: "body-api-key-0002" };
    service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logRotate: { sizeThresholdMB: 500.5 }, configOverrides });
    const drift = await deployment.preview();
    expect(changedLines(drift.text)).toEqual([
      "~ pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig: (update)",
      "~ configOverrides: {",
      "- enabled: [secret]",
      "~ mmsApiKey: [secret] => [secret]",
      "~ logRotate: {",
      "~ sizeThresholdMB: 1000 => 500.5",
      "- timeThresholdHrs: 24",
      "~ 1 to update",
    ]);
    const seen = [drift, await deployment.run(["preview", "--json"]), await deployment.refresh()].map(
      (run) => run.text,
    );
    for (const secret of [...SECRETS, configOverrides.mmsApiKey]) expect(seen.join()).not.toContain(secret);
  });

  it("says in a refresh that the key in the state is an old one", async (context) => {
    const { deployment, service } = await openProgram(context, "real", "recorded", { args: ARGS });
    await deployment.up();
    service.rotateKey("private-key-0002");
    await deployment.setConfig("agent-log-config:privateKey", "private-key-0002", { secret: true });
    const refused = await deployment.refresh();
    expect(refused).toMatchObject({ ok: false });
    expect(refused.text).toMatch(
      /error: Can't read .* If the connection has changed since the last `pulumi up`, run `pulumi up`, or `pulumi refresh --run-program`\.$/m,
    );
    expect(refused.text).not.toContain(PRIVATE_KEY);
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.refresh()).toMatchObject({ ok: true });
  });

  it("is unchanged by protect, an alias, retainOnDelete and replaceOnChanges", async (context) => {
    const { deployment } = await openProgram(context, "real", "recorded", { args: ARGS });
    await deployment.up();
    const renamed = { name: "renamed", options: { aliases: [{ name: "settings" }] } };
    const options = [{ protect: true }, { retainOnDelete: true }, { replaceOnChanges: ["*"] }];
    for (const changed of [renamed, ...options.map((each) => ({ name: "settings", options: each }))]) {
      const { name, options } = changed;
      await deployment.setConfigs({ "recorded:name": name, "recorded:options": JSON.stringify(options) });
      expect(await deployment.preview({ expectNoChanges: true }), JSON.stringify(changed)).toMatchObject({ ok: true });
    }
  });
});

/** The lines of a diff that say what changes, without what the engine pads them with. */
function changedLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim().replace(/\s+: /g, ": "))
    .filter((line) => /^[~+-] /.test(line));
}
