import { expect, it } from "vitest";
import { openProgram, PRIVATE_KEY, PROJECT_ID } from "../deployment/open-program.ts";

const settings = (sizeThresholdMB: number) => ({ logPath: `/log/${sizeThresholdMB}`, logRotate: { sizeThresholdMB } });

/** The engine complains where the path to an ignored value does not lead through a map, as it always does for a fleet. */
const COMPLAINT = /cannot ignore changes [^"]*"(?!configs\[)/;

// The stand-in engine has no transforms, and ignores whole properties only.
it("never overwrites on the real engine what ignoreChanges keeps, and shows the drift once the option is gone", {
  timeout: 300_000,
}, async (context) => {
  const program = { projectId: PROJECT_ID, privateKey: PRIVATE_KEY, ignores: true };
  const { deployment, service } = await openProgram(context, "real", "ignoring", program);
  await deployment.setConfig("ignoring:baseUrl", service.baseUrl);
  service.set(PROJECT_ID, "monitoring", settings(1));
  service.set(PROJECT_ID, "backup", { ...settings(1), configOverrides: { key: "1" } });
  expect(await deployment.up()).toMatchObject({ ok: true });

  service.set(PROJECT_ID, "monitoring", settings(2));
  expect(await deployment.up()).toMatchObject({ ok: true });
  const [path, member, neither] = ["/log/1 2", "/log/2 1", "/log/1 1"];
  const lost = "/log/1 1";
  const recorded = {
    lost,
    setting: path,
    member,
    all: neither,
    transformed: path,
    moved: path,
    quoted: path,
    foreign: path,
  };
  expect(await deployment.outputs()).toEqual({ settings: recorded, fleetPaths: ["/log/1"] });
  expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true });
  const gate = ["refresh", "--preview-only", "--run-program", "--expect-no-changes"];
  expect(await deployment.run(gate)).toMatchObject({ exitCode: 0 });

  service.set(PROJECT_ID, "backup", { logPath: "/log/2" });
  const lossy = await deployment.up();
  expect(lossy).toMatchObject({ ok: true, steps: [expect.objectContaining({ name: "lost" })] });
  expect(lossy.text).not.toMatch(COMPLAINT);
  expect(await deployment.outputs()).toMatchObject({ settings: { lost: "/log/2 1" } });
  expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true });

  await deployment.setConfig("agent-log-config:maxRetries", "0");
  service.respondWith(() => ({ status: 503 }));
  const { ok, text } = await deployment.preview();
  expect([ok, text]).toEqual([true, expect.stringContaining("(status 503)")]);
  expect(text).not.toMatch(COMPLAINT);
  service.respondWith(undefined);

  await deployment.setConfig("ignoring:ignores", "false");
  const { steps } = await deployment.preview();
  const shown = steps.map(({ name, differences }) => [name, differences]);
  const [pathDiffers, memberDiffers] = ['logPath: "/log/1" => "/log/2"', "logRotate.sizeThresholdMB: 1 => 2"];
  expect(Object.fromEntries(shown)).toMatchObject({
    ...Object.fromEntries(
      ["setting", "transformed", "moved", "quoted", "foreign"].map((name) => [name, [pathDiffers]]),
    ),
    fleet: [`configs.${PROJECT_ID}/monitoring.${pathDiffers}`],
    member: [memberDiffers],
    lost: ["logRotate.sizeThresholdMB: 1 => null"],
    all: [pathDiffers, memberDiffers],
  });
});
