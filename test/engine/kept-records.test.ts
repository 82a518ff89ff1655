import { describe, expect, it } from "vitest";
import { SETTING_NAMES } from "../../sdk/model/agent-log-settings.ts";
import { openService } from "../client/open-client.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { PROJECT_ID } from "../deployment/open-program.ts";
import { usePluginFolder } from "../plugin/plugin-folder.ts";
import { openRecord, RECORD_LANGUAGES } from "./open-record.ts";

// What ignoreChanges keeps of a record, and what it does not keep, on the real engine.

const OTHER_PROJECT = "89abcdef0123456789abcdef";
const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };
const MOVED = { ...ARGS, projectId: OTHER_PROJECT };
const OLD = { logPath: "/old", logRotate: { sizeThresholdMB: 1 } };
const NEW = { logPath: "/new", logRotate: { sizeThresholdMB: 2 } };
const installed = usePluginFolder();
/** Each run of the CLI takes seconds. */
const LIMIT = { timeout: 300_000 };

/** Returns the record in the state, with its inputs. */
async function recordIn(deployment: Deployment): Promise<Readonly<Record<string, unknown>>> {
  const { deployment: state } = JSON.parse(JSON.stringify(await deployment.exportState()));
  return state.resources.find(({ type }: { type: string }) => type.endsWith(":AgentLogConfig")).inputs;
}

describe.each(RECORD_LANGUAGES)("a record in %s", LIMIT, (language) => {
  it("is judged by the project that it moves to, whatever ignoreChanges keeps of the one before", async (context) => {
    const { deployment, service, use } = await openRecord(context, language, installed);
    service.set(PROJECT_ID, "monitoring", OLD);
    service.set(OTHER_PROJECT, "monitoring", NEW);
    const options = { ignoreChanges: ["logPath", "logRotate.sizeThresholdMB"], deleteBeforeReplace: true };
    await use(ARGS, options);
    expect(await deployment.up()).toMatchObject({ ok: true });

    await use({ ...MOVED, expect: NEW }, options);
    expect(await deployment.preview()).toMatchObject({ ok: true });
    await use({ ...MOVED, expect: OLD }, options);
    for (const run of [await deployment.preview(), await deployment.up()]) {
      expect([run.ok, run.text]).toEqual([false, expect.stringContaining('logPath is "/new", expected "/old"')]);
      expect(run.text).toContain("logRotate.sizeThresholdMB is 2, expected 1");
    }
    // A record that is deleted first stays in the state, as one whose replacement is pending.
    expect(JSON.stringify(await deployment.exportState())).not.toContain("pendingReplacement");
    expect(await recordIn(deployment)).toMatchObject({ ...ARGS, ...OLD });

    await use({ ...MOVED, expect: NEW }, options);
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await recordIn(deployment)).toMatchObject({ ...MOVED, ...NEW });
  });

  it("stays that of its service and uses no read while each setting is ignored by its name", async (context) => {
    const { deployment, service, use } = await openRecord(context, language, installed);
    service.set(PROJECT_ID, "monitoring", OLD);
    const args = { ...ARGS, whenUnavailable: "useRecorded" };
    const options = { ignoreChanges: SETTING_NAMES };
    await use(args, options);
    await deployment.setConfig("agent-log-config:maxRetries", "0");
    expect(await deployment.up()).toMatchObject({ ok: true });
    const { __readTarget } = await recordIn(deployment);

    const other = await openService({ settings: { [PROJECT_ID]: { monitoring: NEW } } });
    await deployment.setConfig("agent-log-config:baseUrl", other.baseUrl);
    expect(await deployment.up()).toMatchObject({ ok: true, steps: [] });
    expect(await recordIn(deployment)).toMatchObject({ ...OLD, __readTarget });

    other.respondWith(() => ({ status: 503 }));
    await use(ARGS, options);
    for (const run of [await deployment.preview(), await deployment.up()]) {
      expect([run.ok, run.text]).toEqual([true, expect.not.stringContaining("503")]);
    }
    expect(await recordIn(deployment)).toMatchObject(OLD);
    await use(args);
    const { ok, text } = await deployment.preview();
    expect([ok, text]).toEqual([false, expect.stringContaining("come from another service, so they are not used")]);
  });

  it.for([undefined, "of another project"])(
    "is kept by ignoreChanges where the state says nothing of what it was read for, or something else: %s",
    async (readTarget, context) => {
      const { deployment, service, use } = await openRecord(context, language, installed);
      service.set(PROJECT_ID, "monitoring", OLD);
      await use(ARGS, { ignoreChanges: ["*"] });
      expect(await deployment.up()).toMatchObject({ ok: true });
      const state = JSON.stringify(await deployment.exportState());
      await deployment.importState(
        JSON.parse(state, (name, value) =>
          name !== "__readTarget" ? value : readTarget && String(value).replace(PROJECT_ID, OTHER_PROJECT),
        ),
      );
      service.set(PROJECT_ID, "monitoring", NEW);
      const runs = [await deployment.preview(), await deployment.up()];
      expect(runs.map(({ ok, steps, text }) => (ok ? steps : text))).toEqual([[], []]);
      expect(await recordIn(deployment)).toMatchObject({ ...ARGS, ...OLD });
    },
  );
});
