import { describe, expect, it } from "vitest";
import { ENGINES, openProgram } from "./program.ts";

const PROJECT_IDS = Array.from({ length: 60 }, (_, index) => index.toString(16).padStart(24, "0"));
const GONE = [7, 3, 11];
const DRIFTED = [5, 10];

describe.each(ENGINES)("many projects on the %s engine", (engine) => {
  it("show all drift and name every failing read, and nothing that fails is recorded", async (context) => {
    // The stand-in engine is slower, and has nothing to lose by fewer.
    const projectIds = PROJECT_IDS.slice(0, engine === "real" ? 60 : 12);
    const settings = { projectIds };
    const { deployment, service } = await openProgram(context, engine, "fleet", settings);
    for (const projectId of projectIds) service.set(projectId, "monitoring", { logPath: `/log/${projectId}` });
    expect(await deployment.up()).toMatchObject({ ok: true });
    for (const index of GONE) service.set(PROJECT_IDS[index] ?? "", "monitoring", undefined);
    for (const index of DRIFTED) service.set(PROJECT_IDS[index] ?? "", "monitoring", { logPath: "/drifted" });

    const preview = await deployment.preview();
    expect(preview.ok).toBe(false);
    // One resource reports for all: its own failure, and the names of those with the same cause.
    const named = preview.text.match(/\bproject-\d+\b(?=' has a problem: Can't|,|\.$)/gm);
    expect(new Set(named)).toEqual(new Set(GONE.map((index) => `project-${index}`)));
    expect(preview.text.match(/there is no such project/g)).toHaveLength(1);
    expect(preview.text.match(/~ logPath *: .* => "\/drifted"/g)).toHaveLength(DRIFTED.length);

    expect(await deployment.up()).toMatchObject({ ok: false });
    const state = JSON.stringify(await deployment.exportState());
    for (const index of GONE) expect(state).toContain(`/log/${PROJECT_IDS[index]}`);
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: false });
  });

  it("fail although others wait for one that fails", async (context) => {
    const [first = "", second = ""] = PROJECT_IDS;
    const settings = { projectIds: [first, second], dependent: true };
    const { deployment, service } = await openProgram(context, engine, "fleet", settings);
    service.set(second, "monitoring", {});
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toContain(`agent's log settings of project ${first}`);
  });
});
