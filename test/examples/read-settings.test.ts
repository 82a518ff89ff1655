import { expect, it } from "vitest";
import { PROJECT_ID, SETTINGS } from "../deployment/open-program.ts";
import { openExample } from "./open-example.ts";

it("records one agent's settings and reads the other's", async (context) => {
  const { deployment, service } = await openExample(context, "read-settings", { projectId: PROJECT_ID });
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(await deployment.outputs()).toMatchObject({
    monitoringLog: SETTINGS.logPath,
    monitoringRotatesAtMB: 1000,
    backupSettings: { agent: "backup", logPath: "/var/log/backup-agent.log" },
  });
  service.set(PROJECT_ID, "backup", { logPath: "/data/backup-agent.log" });
  const { steps } = await deployment.preview();
  expect(steps.flatMap(({ differences = [] }) => differences)).toEqual([
    'input.backup: "/var/log/backup-agent.log" => "/data/backup-agent.log"',
  ]);
});
