import { describe, expect, it } from "vitest";
import { ENGINES, openProgram, PRIVATE_KEY, PROJECT_ID, SECRETS, SETTINGS } from "./program.ts";

const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };

describe.each(ENGINES)("AgentLogConfig on the %s engine", (engine) => {
  it("is recorded, shows drift, is silent where told to be, and goes", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "recorded", { args: ARGS });

    const first = await deployment.preview();
    expect(first.text).toContain('logPath        : "/var/log/monitoring-agent.log"');
    expect(first.text).toContain("configOverrides: [secret]");
    expect(first.text).toContain("sizeThresholdMB : 1000");
    expect(first.text).not.toContain("[unknown]");
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.outputs()).toMatchObject({ logPath: SETTINGS.logPath, configOverrides: "[secret]" });
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true });

    service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logRotate: { sizeThresholdMB: 500.5, timeDurationHrs: 24 } });
    const drift = await deployment.preview({ expectNoChanges: true });
    expect(drift).toMatchObject({ ok: false });
    expect(changedLines(drift.text)).toEqual([
      "~ pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig: (update)",
      "~ logRotate: {",
      "~ sizeThresholdMB: 1000 => 500.5",
      "~ 1 to update",
    ]);

    const refreshed = await deployment.refresh();
    expect(changedLines(refreshed.text)).toContain("~ sizeThresholdMB: 1000 => 500.5");
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true });

    await deployment.setConfig("recorded:options", JSON.stringify({ ignoreChanges: ["logPath"] }));
    service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logPath: "/elsewhere" });
    const ignored = await deployment.preview();
    expect(ignored.text).not.toContain("/elsewhere");
    expect(changedLines(ignored.text)).toContain("~ sizeThresholdMB: 500.5 => 1000");

    await service.close();
    expect(await deployment.destroy()).toMatchObject({ ok: true });
  });

  it("shows no secret anywhere", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "recorded", { args: ARGS });
    const runs = [await deployment.preview(), await deployment.up()];
    const changed = { ...SETTINGS, configOverrides: { mmsApiKey: "body-api-key-0002" } };
    service.set(PROJECT_ID, "monitoring", changed);
    runs.push(await deployment.preview(), await deployment.refresh());
    if (engine === "real") runs.push(await deployment.preview({ json: true }));
    service.rotateKey("private-key-0002");
    runs.push(await deployment.preview(), await deployment.refresh());

    const seen = [...runs.map(({ text }) => text), JSON.stringify(await deployment.outputs())];
    const state = JSON.stringify(await deployment.exportState());
    for (const secret of [...SECRETS, "body-api-key-0002", "private-key-0002"]) {
      expect(seen.join("\n")).not.toContain(secret);
      expect(state).not.toContain(secret);
    }
  });

  it("fails with the resource's name, the reason and no stack trace", async (context) => {
    const { deployment } = await openProgram(context, engine, "recorded", { args: { ...ARGS, projectId: "zz" } });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toContain(
      `error: pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig resource 'settings' has a problem: Nothing was read: projectId must be 24 hexadecimal digits, not "zz". See https://www.npmjs.com/package/pulumi-agent-log-config#err_invalid_arg_value`,
    );
    expect(text).not.toMatch(/^\s+at /m);
  });

  it("fails for a failed read while it is not known yet what is expected", async (context) => {
    const settings = { projectId: PROJECT_ID };
    const { deployment, service } = await openProgram(context, engine, "unknown-expectation", settings);
    expect(await deployment.up()).toMatchObject({ ok: true });
    await deployment.setConfig("unknown-expectation:expects", "true");
    const preview = await deployment.preview();
    expect(preview).toMatchObject({ ok: true });
    expect(preview.text).not.toContain("- logPath");
    service.rotateKey("private-key-0002");
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toContain("resource 'settings' has a problem: Can't read the monitoring agent's log settings");
  });

  it("is another resource for another agent", async (context) => {
    const { deployment } = await openProgram(context, engine, "recorded", { args: ARGS });
    await deployment.up();
    await deployment.setConfig("recorded:args", JSON.stringify({ ...ARGS, agent: "backup" }));
    const { text } = await deployment.up();
    expect(text).toMatch(/\+-\s*pulumi-nodejs:dynamic\/agentLogConfig:AgentLogConfig: \(replace\)/);
    expect(await deployment.outputs()).toMatchObject({
      logPath: "/var/log/backup-agent.log",
      usernameType: "undefined",
    });
  });

  it("fails where the settings are not as expected, with a line for each", async (context) => {
    const expected = { logPath: "/srv/log", username: SETTINGS.username, logRotate: { sizeThresholdMB: 500 } };
    const { deployment } = await openProgram(context, engine, "recorded", { args: { ...ARGS, expect: expected } });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text.match(/resource 'settings' has a problem: .*/g)).toEqual([
      `resource 'settings' has a problem: logPath is "/var/log/monitoring-agent.log", expected "/srv/log".`,
      "resource 'settings' has a problem: logRotate.sizeThresholdMB is 1000, expected 500.",
    ]);
  });

  it("keeps the record in an outage where told to, with one warning", async (context) => {
    const args = { ...ARGS, whenUnavailable: "useRecorded" };
    const { deployment, service } = await openProgram(context, engine, "recorded", { args });
    await deployment.setConfig("agent-log-config:maxRetries", "0");
    service.answerWith({ status: 503 });
    expect(await deployment.preview()).toMatchObject({ ok: false });
    service.answerWith(undefined);
    await deployment.up();

    service.answerWith({ status: 503 });
    const outage = await deployment.preview({ expectNoChanges: true });
    expect(outage).toMatchObject({ ok: true });
    expect(outage.text.match(/uses the settings that were read less than a minute ago/g)).toHaveLength(1);
    const refreshed = await deployment.refresh();
    expect(refreshed).toMatchObject({ ok: true });
    expect(refreshed.text.match(/uses the settings that were read less than a minute ago/g)).toHaveLength(1);
    service.answerWith({ status: 403 });
    expect(await deployment.preview()).toMatchObject({ ok: false });
  });

  it("leaves the state in a refresh only where the service says that the project is gone", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "recorded", { args: ARGS });
    await deployment.up();
    service.answerWith({ status: 404, body: "<html>no such page</html>" });
    expect(await deployment.refresh()).toMatchObject({ ok: false });
    service.answerWith(undefined);
    service.set(PROJECT_ID, "monitoring", undefined);
    service.set(PROJECT_ID, "backup", undefined);
    const { text } = await deployment.refresh();
    expect(text).toContain(`AgentLogConfig ${PROJECT_ID}/monitoring is removed from the state.`);
    expect(JSON.stringify(await deployment.exportState())).not.toContain("agent-log-config:AgentLogConfig::settings");
  });

  it("says in a refresh that the key in the state is an old one", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "recorded", { args: ARGS });
    await deployment.up();
    service.rotateKey("private-key-0002");
    await deployment.setConfig("agent-log-config:privateKey", "private-key-0002", { secret: true });
    const refused = await deployment.refresh();
    expect(refused).toMatchObject({ ok: false });
    expect(refused.text).toContain(
      "after a change of the connection run `pulumi up`, or `pulumi refresh --run-program`",
    );
    expect(refused.text).not.toContain(PRIVATE_KEY);
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.refresh()).toMatchObject({ ok: true });
  });
});

// The stand-in engine refuses these options by name.
describe("AgentLogConfig with options of any resource on the real engine", () => {
  it.for([
    { description: "protect", options: { protect: true } },
    { description: "another name with an alias", name: "renamed", options: { aliases: [{ name: "settings" }] } },
    { description: "retainOnDelete", options: { retainOnDelete: true } },
    { description: "replaceOnChanges", options: { replaceOnChanges: ["*"] } },
  ])("is unchanged by $description", async ({ name, options }, context) => {
    const { deployment } = await openProgram(context, "real", "recorded", { args: ARGS });
    await deployment.up();
    await deployment.setConfig("recorded:options", JSON.stringify(options));
    if (name !== undefined) await deployment.setConfig("recorded:name", name);
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true });
  });

  it("is deleted before it is replaced where told to", async (context) => {
    const options = { deleteBeforeReplace: true };
    const { deployment } = await openProgram(context, "real", "recorded", { args: ARGS, options });
    await deployment.up();
    await deployment.setConfig("recorded:args", JSON.stringify({ ...ARGS, agent: "backup" }));
    const { ok, text } = await deployment.up();
    expect(ok).toBe(true);
    expect(text).toMatch(/\+-\s*pulumi-nodejs:dynamic\/agentLogConfig:AgentLogConfig: \(replace\)/);
  });
});

/** The lines of a diff that say what changes, without what the engine pads them with. */
function changedLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim().replace(/\s+: /g, ": "))
    .filter((line) => /^[~+-] /.test(line));
}
