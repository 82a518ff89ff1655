import { expect, it } from "vitest";
import { PROJECT_ID } from "../deployment/open-program.ts";
import { openExample } from "./open-example.ts";

it("fails where the service has other settings than the chart declares", async (context) => {
  const { deployment, service } = await openExample(context, "declared-vs-effective", { projectId: PROJECT_ID });
  const set = (agent: "monitoring" | "backup", sizeThresholdMB: number) =>
    service.set(PROJECT_ID, agent, { logPath: `/var/log/agents/${agent}-agent.log`, logRotate: { sizeThresholdMB } });
  set("monitoring", 500);
  set("backup", 1000);
  expect(await deployment.up()).toMatchObject({ ok: true });
  set("monitoring", 501);
  const { ok, text } = await deployment.preview();
  expect(ok).toBe(false);
  expect(text).toContain(
    "logRotate.sizeThresholdMB is 501, expected at most 500; change it in the service, or change expect.",
  );
});
