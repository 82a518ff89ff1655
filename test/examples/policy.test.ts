import { describe, expect, it } from "vitest";
import { violationOf } from "../../examples/policy/violation-of.ts";
import { PROJECT_ID, skipWithout } from "../deployment/open-program.ts";
import { copyExample } from "./copy-example.ts";
import { openExample } from "./open-example.ts";

describe("the rule on sizes", () => {
  const settings = {
    projectId: PROJECT_ID,
    agent: "backup",
    logPath: "/var/log/backup.log",
    logPathWindows: null,
  } as const;
  const start = `The backup agent of project ${PROJECT_ID} rotates its log`;

  it.for([
    [{ sizeThresholdMB: 500 }, undefined],
    [{ sizeThresholdMB: 500.5 }, `${start} at 500.5 MB; set at most 500 MB.`],
    [null, `${start} at no size; set at most 500 MB.`],
  ] as const)("judges %j", ([logRotate, expected]) => {
    expect(violationOf({ ...settings, logRotate }, 500)).toBe(expected);
  });

  it("does not concern an agent that writes no file", () => {
    expect(violationOf({ ...settings, logPath: null, logRotate: null }, 500)).toBeUndefined();
  });
});

it("fails a preview as a policy pack", async (context) => {
  skipWithout(context, "real");
  const { deployment, service } = await openExample(context, "read-settings", { projectId: PROJECT_ID });
  const pack = await copyExample(context, "policy");
  const env = { PULUMI_OPTION_POLICY_PACK: pack };
  const passed = await deployment.preview({ env });
  expect(passed).toMatchObject({ ok: true });
  expect(passed.text).toMatch(/^Policy Packs run:\n.*\n\s+agent-logs/m);
  service.set(PROJECT_ID, "monitoring", { logPath: "/a.log", logRotate: { sizeThresholdMB: 1001 } });
  const { ok, text } = await deployment.preview({ env });
  expect(ok).toBe(false);
  expect(text).toContain(
    `The monitoring agent of project ${PROJECT_ID} rotates its log at 1001 MB; set at most 1000 MB.`,
  );
});
