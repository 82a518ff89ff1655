import { createHash } from "node:crypto";
import { cp } from "node:fs/promises";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { openService } from "../client/open-client.ts";
import { ENGINES, openProgram, PROJECT_ID } from "../deployment/open-program.ts";

describe.each(ENGINES)("connections on the %s engine", (engine) => {
  it("go with the provider that the engine uses, for two services in one stack, and leave other people's dynamic resources their configuration", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "connections", { projectId: PROJECT_ID });
    const other = await openService({ privateKey: "private-key-0002" });
    other.set(PROJECT_ID, "monitoring", { logPath: "/other/monitoring.log" });
    other.set(PROJECT_ID, "backup", { logPath: "/other/backup.log" });
    const connect = async (key: string) => {
      await deployment.setConfig("connections:first", JSON.stringify({ baseUrl: service.baseUrl, privateKey: key }));
    };
    await connect("private-key-0001");
    const second = { baseUrl: other.baseUrl, privateKey: "private-key-0002" };
    await deployment.setConfig("connections:second", JSON.stringify(second));
    await deployment.setConfig("myapp:token", "token-0001");

    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.outputs()).toEqual({
      directPath: "/var/log/monitoring-agent.log",
      listed: "/other/monitoring.log",
      mapped: "/other/monitoring.log",
      token: "token-0001",
      awaitedPath: "/other/backup.log",
      outputPath: "/other/backup.log",
    });
    expect(await deployment.refresh()).toMatchObject({ ok: true, steps: [] });

    service.rotateKey("private-key-0003");
    await connect("private-key-0003");
    await deployment.setConfig("myapp:token", "token-0002");
    expect(await deployment.up()).toMatchObject({ ok: true, steps: [{ op: "update", name: "one", differences: [] }] });
  });

  it("that a program assigns are those of the record, whatever the shell has", async (context) => {
    const settings = { args: { projectId: PROJECT_ID, agent: "monitoring", whenUnavailable: "useRecorded" } };
    const env = { AGENT_LOG_CONFIG_BASE_URL: "https://shell.example.com" };
    const { deployment, service } = await openProgram(context, engine, "recorded", settings, env);
    await deployment.unsetConfig("agent-log-config:baseUrl");
    await deployment.setConfig("agent-log-config:maxRetries", "0");
    await deployment.setConfig("recorded:address", service.baseUrl);
    expect(await deployment.up()).toMatchObject({ ok: true });
    const fingerprint = createHash("sha256").update(service.baseUrl).digest("hex").slice(0, 16);
    const [, recorded] = /"__readTarget":"\S+ (\w+)/.exec(JSON.stringify(await deployment.exportState())) ?? [];
    expect(recorded).toBe(fingerprint);
    service.respondWith(() => ({ status: 503 }));
    expect(await deployment.preview()).toMatchObject({ ok: true, steps: [] });
  });

  it("are not those of the stack for a provider of another package", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "foreign-provider", { projectId: PROJECT_ID });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toContain(
      "error: Connection settings are missing: baseUrl, publicKey, privateKey. Pass them to a Provider",
    );
    expect(service.requests).toHaveLength(0);
  });

  it("have the variables of the environment that their Provider maps, in refreshes too", async (context) => {
    const west = await openService({ settings: { [PROJECT_ID]: { monitoring: { logPath: "/west" } } } });
    const env = { AGENT_LOG_CONFIG_BASE_URL: "https://east.example.com", WEST_URL: west.baseUrl };
    const { deployment } = await openProgram(
      context,
      engine,
      "guarded",
      { projectId: PROJECT_ID, isExplicit: true },
      env,
    );
    await deployment.unsetConfig("agent-log-config:baseUrl");
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.outputs()).toEqual({ recorded: "/west", read: "/west" });
    west.set(PROJECT_ID, "monitoring", { logPath: "/changed" });
    const changed = { op: "update", name: "settings", differences: ['logPath: "/west" => "/changed"'] };
    expect(await deployment.refresh()).toMatchObject({ ok: true, steps: [changed] });
  });

  it.for(["*", "agent-log-config"])(
    "must be explicit in a stack without the default provider of %s",
    async (name, context) => {
      const { deployment, service } = await openProgram(context, engine, "guarded", { projectId: PROJECT_ID });
      await deployment.setConfig("pulumi:disable-default-providers", JSON.stringify([name]));
      const { ok, text } = await deployment.preview();
      expect([ok, service.requests]).toEqual([false, []]);
      expect(text).toMatch(
        /^error: Default provider for 'agent-log-config' disabled\. '\S+:AgentLogConfig settings' must use an/m,
      );
      await deployment.setConfig("guarded:isExplicit", "true");
      const explicit = await deployment.preview();
      expect(explicit, explicit.text).toMatchObject({ ok: true });
    },
  );

  it("can be used by a second copy of the package", async (context) => {
    const copy = path.join(inject("installedPackage"), `copy-${engine}`);
    await cp(path.join(inject("installedPackage"), "node_modules/pulumi-agent-log-config"), copy, { recursive: true });
    const settings = { projectId: PROJECT_ID, otherCopy: path.join(copy, "dist/index.js") };
    const { deployment } = await openProgram(context, engine, "two-copies", settings);
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.outputs()).toEqual({
      logPath: "/var/log/monitoring-agent.log",
      read: "/var/log/backup-agent.log",
    });
  });
});
