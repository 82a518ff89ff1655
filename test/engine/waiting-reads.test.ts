import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it, type TestContext } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { ENGINES, openProgram, PROJECT_ID } from "../deployment/open-program.ts";

const SHAPES = ["parent", "dependsOn-of-component", "parent-of-component", "argument-of-component"];
/** The stand-in engine does not model the last two options. */
const shapesOf = (engine: string) =>
  engine === "real" ? [...SHAPES, "dependsOn-further-up", "deletedWith", "replaceWith"] : SHAPES;
const projectOf = (index: number) => index.toString(16).padStart(24, "0");

/** Opens what the program's own resource asks to change the settings of a project. */
async function openControl(context: TestContext, service: Service): Promise<string> {
  const server = createServer(async (request, response) => {
    service.set(request.url?.slice(1) ?? "", "monitoring", { logPath: await text(request) });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

describe.each(ENGINES)("a read on the %s engine", (engine) => {
  const shapes = shapesOf(engine);

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

  it("waits for all that the registration waits for, so that what a resource changes in the update is recorded and is no drift", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "waiting", { shapes });
    for (const [index] of shapes.entries()) service.set(projectOf(index), "monitoring", { logPath: "/before" });
    await deployment.setConfig("waiting:controlUrl", await openControl(context, service));
    for (const logPath of ["/created", "/updated"]) {
      await deployment.setConfig("waiting:logPath", logPath);
      const { ok, text } = await deployment.up();
      expect(ok, text).toBe(true);
      const paths = Object.fromEntries(shapes.map((shape) => [shape, logPath]));
      expect(await deployment.outputs()).toEqual({ paths });
    }
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true, steps: [] });
  });

  it("that fails is told alone where others wait for its resource", async (context) => {
    const { deployment, service } = await openProgram(context, engine, "waiting", { shapes, logPath: "" });
    for (const [index] of shapes.entries()) service.set(projectOf(index), "monitoring", {});
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text.match(/resource '.*' has a problem: .{20}/g)).toEqual([
      "resource 'failing' has a problem: Can't read the monit",
    ]);
  });
});
