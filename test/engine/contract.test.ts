import path from "node:path";
import { expect, it } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import type { Deployment } from "./deployment.ts";
import { configure, makeProgramFolder, PROJECT_ID, SETTINGS } from "./program.ts";
import { inAnyOrder, type Recording, recordCalls, recordingOf } from "./recording.ts";
import { providerCalls, replay } from "./replay.ts";

// What the real engine asked the provider host through the life of a resource, and what it was answered.

const FIXTURE = path.join(import.meta.dirname, "fixtures/life-of-a-resource.json");
const MONITORING = { projectId: PROJECT_ID, agent: "monitoring" };
const DRIFTED = { ...SETTINGS, logRotate: { sizeThresholdMB: 500.5, timeThresholdHrs: 24 } };

it("answers the real engine as when its calls were recorded", async (context) => {
  const { directory, service } = await makeProgramFolder(context, "recorded");
  const recording = await recordingOf(FIXTURE, options(directory, service));
  service.set(PROJECT_ID, "monitoring", DRIFTED);
  const answered = await replay(recording, directory, { values: { "<base URL>": service.baseUrl } });
  expect(new Set(answered.map(({ method }) => method))).toEqual(
    new Set(
      ["Configure", "Check", "Diff", "Create", "Update", "Read", "Delete"].map((name) => `ResourceProvider/${name}`),
    ),
  );
  expect(timeless(answered)).toEqual(timeless(providerCalls(recording)));
});

it("is asked by the stand-in engine what the real one asks", async (context) => {
  const { directory, service } = await makeProgramFolder(context, "recorded");
  const real = await recordingOf(FIXTURE, options(directory, service));
  const standIn = await recordCalls({ ...options(directory, service), engine: "stand-in" });
  expect(inAnyOrder(timeless(standIn))).toEqual(inAnyOrder(timeless(real)));
});

function options(directory: string, service: Service): Parameters<typeof recordingOf>[1] {
  return { directory, masks: { [service.baseUrl]: "<base URL>" }, steps: (deployment) => live(deployment, service) };
}

/** Created, drifted, updated, refreshed, failed, replaced and deleted. */
async function live(deployment: Deployment, service: Service): Promise<void> {
  const use = (args: object) => deployment.setConfig("recorded:args", JSON.stringify(args));
  service.set(PROJECT_ID, "monitoring", SETTINGS);
  await configure(deployment, service, "recorded", { args: MONITORING });
  await deployment.preview();
  await deployment.up();
  service.set(PROJECT_ID, "monitoring", DRIFTED);
  await deployment.preview();
  await deployment.refresh();
  await use({ ...MONITORING, whenUnavailable: "fail" });
  await deployment.up();
  await use({ ...MONITORING, expect: { logPath: "/elsewhere" } });
  await deployment.preview();
  await use({ ...MONITORING, agent: "backup" });
  await deployment.up();
  await deployment.destroy();
}

function timeless(recording: Recording): Recording {
  return JSON.parse(JSON.stringify(recording).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"));
}
