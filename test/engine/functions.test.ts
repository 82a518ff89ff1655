import { describe, expect, it } from "vitest";
import { ENGINES, openProgram, PROJECT_ID, SECRETS } from "./program.ts";

describe.each(ENGINES)("the functions on the %s engine", (engine) => {
  it("read in previews and mask only what may hold credentials", async (context) => {
    const { deployment } = await openProgram(context, engine, "functions", { projectId: PROJECT_ID });
    const preview = await deployment.preview();
    expect(preview.text).toContain('logPath        : "/var/log/backup-agent.log"');
    await deployment.up();
    expect(await deployment.outputs()).toMatchObject({
      awaited: { logPath: "/var/log/monitoring-agent.log", configOverrides: "[secret]" },
      output: { id: `${PROJECT_ID}/backup`, logPath: "/var/log/backup-agent.log" },
    });
    const state = JSON.stringify(await deployment.exportState());
    for (const secret of SECRETS) expect(state).not.toContain(secret);
  });

  it.for(["functions", "failing-output"])("fail with one clean line (%s)", async (name, context) => {
    const { deployment } = await openProgram(context, engine, name, { projectId: "zz" });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toMatch(
      /error: Nothing was read: projectId must be 24 hexadecimal digits, not "zz"\. See https:\S+$/m,
    );
    expect(text).not.toMatch(/^\s+at |unhandled|serializing/m);
  });

  it("share one request for the same settings, unless they waited for a resource", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "shared-reads", { projectId: PROJECT_ID });
    const reads = () => service.requests.filter(({ status }) => status === 200).length;
    expect(await deployment.preview()).toMatchObject({ ok: true });
    expect(reads()).toBe(1);
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(reads()).toBe(1 + 2);
  });

  it("pass a rejected argument on as Pulumi itself does", async (context) => {
    const { deployment } = await openProgram(context, engine, "rejected-argument");
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toContain('error: error serializing property "input": no such project');
    expect(text).not.toMatch(/^\s+at /m);
  });
});
