import { describe, expect, it } from "vitest";
import { BOTH_ENGINES, openProgram, PROJECT_ID, SECRETS } from "../deployment/open-program.ts";

describe.each(BOTH_ENGINES)("the functions on the %s engine", (engine) => {
  it.for(["functions", "failing-output", "failing-input"])(
    "fail with one line and no stack trace (%s)",
    async (name, context) => {
      const { deployment } = await openProgram(context, engine, name, { projectId: "zz" });
      const { ok, text } = await deployment.preview();
      expect(ok).toBe(false);
      expect(text.match(/\S.*Nothing was read.*/g)).toEqual(
        Array(name === "functions" ? 2 : 1).fill(
          expect.stringMatching(
            /^error: Nothing was read: projectId must be 24 hexadecimal digits, not "zz"\. See https:\S+$/,
          ),
        ),
      );
      expect(text).not.toMatch(/^\s+at |unhandled/m);
    },
  );

  it("share one request for the same settings, unless they have waited for a resource, and keep secret only what may hold credentials", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "shared-reads", { projectId: PROJECT_ID });
    expect(await deployment.up()).toMatchObject({ ok: true });
    const read = service.requests.filter(({ status, target }) => status === 200 && target.includes("monitoring"));
    expect(read).toHaveLength(2);
    expect(await deployment.outputs()).toMatchObject({
      awaited: { logPath: "/var/log/monitoring-agent.log", configOverrides: "[secret]" },
      output: { id: `${PROJECT_ID}/backup`, logPath: "/var/log/backup-agent.log" },
    });
    const state = JSON.stringify(await deployment.exportState());
    for (const secret of SECRETS) expect(state).not.toContain(secret);
  });
});
