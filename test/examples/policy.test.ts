import { cp } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { violationOf } from "../../examples/policy/violation-of.ts";
import { configure, PROJECT_ID, skipWithout, startKnownService } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { usePluginFolder } from "../plugin/plugin-folder.ts";
import { requireHost } from "../plugin/require-host.ts";
import { copyExample } from "./copy-example.ts";
import { openExample } from "./open-example.ts";

describe("the rule on sizes", () => {
  const settings = { projectId: PROJECT_ID, agent: "backup", logPath: "/var/log/backup.log" } as const;
  const start = `The backup agent of project ${PROJECT_ID} rotates its log`;

  it.for([
    [{ sizeThresholdMB: 500 }, undefined],
    [{ sizeThresholdMB: 500.5 }, `${start} at 500.5 MB; set at most 500 MB.`],
    [{}, `${start} at no size; set at most 500 MB.`],
  ] as const)("judges %j", ([logRotate, expected]) => {
    expect(violationOf({ ...settings, logPathWindows: "", logRotate }, 500)).toBe(expected);
  });

  it("does not concern an agent that writes no file", () => {
    const nothing = { ...settings, logPath: "", logPathWindows: "", logRotate: {} };
    expect(violationOf(nothing, 500)).toBeUndefined();
  });
});

const installed = usePluginFolder();

/** Opens the example in YAML on the real engine, which finds the plugin. */
async function openYaml(context: TestContext) {
  const { path: folders } = requireHost(context, "yaml");
  const directory = path.join(installed.path(), "yaml");
  await cp(path.join(import.meta.dirname, "../../examples/yaml"), directory, { recursive: true });
  const deployment = await openRealDeployment(directory, { PATH: installed.pathWith(folders) }, process.execPath);
  context.onTestFinished(() => deployment.close());
  const service = await startKnownService();
  await configure(deployment, service, "yaml", { projectId: PROJECT_ID });
  return { deployment, service };
}

it.for([
  {
    program: "TypeScript",
    open: (context: TestContext) => openExample(context, "read-settings", { projectId: PROJECT_ID }),
  },
  { program: "YAML", open: openYaml },
])("fails a preview of a program in $program as a policy pack", async ({ open }, context) => {
  skipWithout(context, "real");
  const { deployment, service } = await open(context);
  const pack = await copyExample(context, "policy");
  const env = { PULUMI_OPTION_POLICY_PACK: pack };
  const passed = await deployment.preview({ env });
  expect(passed.ok, passed.text).toBe(true);
  expect(passed.text).toMatch(/^Policy Packs run:\n.*\n\s+agent-logs/m);
  const start = `The monitoring agent of project ${PROJECT_ID} rotates its log`;
  for (const [logRotate, sentence] of [
    [{ sizeThresholdMB: 5000 }, `${start} at 5000 MB; set at most 1000 MB.`],
    [{}, `${start} at no size; set at most 1000 MB.`],
  ] as const) {
    service.set(PROJECT_ID, "monitoring", { logPath: "/a.log", logRotate });
    const { ok, text } = await deployment.preview({ env });
    expect([ok, text]).toEqual([false, expect.stringContaining(sentence)]);
  }
  service.set(PROJECT_ID, "monitoring", { logRotate: { sizeThresholdMB: 5000 } });
  const without = await deployment.preview({ env });
  expect(without.ok, without.text).toBe(true);
});
