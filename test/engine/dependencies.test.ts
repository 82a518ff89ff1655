import { describe, expect, it } from "vitest";
import { ENGINES, openProgram, PROJECT_ID } from "./program.ts";

describe.each(ENGINES)("dependencies on the %s engine", (engine) => {
  it("delay a read until they exist", async (context) => {
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

  it("are not needed by a resource that is adopted", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "adopted", { id: `${PROJECT_ID}/monitoring` });
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.outputs()).toEqual({
      logPath: "/var/log/monitoring-agent.log",
      configOverrides: "[secret]",
    });
    expect(service.requests.filter(({ status }) => status === 200)).not.toHaveLength(0);
  });
});

it("says on the real engine what is wrong with the id of a resource to adopt", async (context) => {
  const { deployment } = await openProgram(context, "real", "adopted", { id: "monitoring" });
  const { text } = await deployment.preview();
  expect(text).toMatch(
    /error: The id "monitoring" does not have the form <projectId>\/<agent>, such as .*monitoring\. See https:\S+$/m,
  );
});
