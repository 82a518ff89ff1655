import { describe, expect, it } from "vitest";
import { ENGINES, openProgram, PROJECT_ID } from "../deployment/open-program.ts";

// Every way in which the registration of a resource waits for another one is in test/program/wait-for-resources.test.ts.
describe.each(ENGINES)("a read on the %s engine", (engine) => {
  it("is not begun before what the resource depends on exists", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "dependent", { projectId: PROJECT_ID });
    const { text } = await deployment.preview();
    for (const output of ["byIdPath", "afterPath", "outputPath"]) {
      expect(text).toMatch(new RegExp(`${output}\\s*: \\[unknown\\]`));
    }
    expect(service.requests).toHaveLength(0);

    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.outputs()).toEqual({
      byIdPath: "/var/log/monitoring-agent.log",
      afterPath: "/var/log/monitoring-agent.log",
      outputPath: "/var/log/backup-agent.log",
    });
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true, steps: [] });
  });
});
