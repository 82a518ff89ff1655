import { cp, readFile, writeFile } from "node:fs/promises";
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

const FLEET_PROJECT_ID = "89abcdef0123456789abcdef";
const installed = usePluginFolder();

/** Opens the example in YAML, with a single record and a fleet, on the real engine, which finds the plugin. */
async function openYaml(context: TestContext) {
  const { path: folders } = requireHost(context, "yaml");
  const directory = path.join(installed.path(), "yaml");
  await cp(path.join(import.meta.dirname, "../../examples/yaml"), directory, { recursive: true });
  const program = path.join(directory, "Pulumi.yaml");
  const text = await readFile(program, "utf8");
  await writeFile(program, text.replace("default: {}", `default: { orders: ${FLEET_PROJECT_ID} }`));
  const deployment = await openRealDeployment(directory, { PATH: installed.pathWith(folders) }, process.execPath);
  context.onTestFinished(() => deployment.close());
  const service = await startKnownService();
  service.set(FLEET_PROJECT_ID, "monitoring", { logPath: "/a.log", logRotate: { sizeThresholdMB: 1000 } });
  await configure(deployment, service, "yaml", { projectId: PROJECT_ID });
  return { deployment, service };
}

it.for([
  {
    program: "TypeScript",
    projectIds: [PROJECT_ID],
    open: (context: TestContext) => openExample(context, "read-settings", { projectId: PROJECT_ID }),
  },
  {
    program: "TypeScript with a fleet",
    projectIds: [PROJECT_ID],
    open: (context: TestContext) => openExample(context, "drift-gate", { projects: { orders: PROJECT_ID } }),
  },
  { program: "YAML with a fleet", projectIds: [PROJECT_ID, FLEET_PROJECT_ID], open: openYaml },
])("fails a preview of a program in $program as a policy pack", async ({ projectIds, open }, context) => {
  skipWithout(context, "real");
  const { deployment, service } = await open(context);
  // An agent that writes no file.
  service.set(PROJECT_ID, "backup", {});
  const pack = await copyExample(context, "policy");
  const env = { PULUMI_OPTION_POLICY_PACK: pack };
  const passed = await deployment.preview({ env });
  expect(passed.ok, passed.text).toBe(true);
  expect(passed.text).toMatch(/^Policy Packs run:\n.*\n\s+agent-logs/m);
  const set = (settings: Readonly<Record<string, unknown>>) => {
    for (const projectId of projectIds) service.set(projectId, "monitoring", settings);
  };
  for (const [logRotate, found] of [
    [{ sizeThresholdMB: 5000 }, "at 5000 MB"],
    [{}, "at no size"],
  ] as const) {
    set({ logPath: "/a.log", logRotate });
    const { ok, text } = await deployment.preview({ env });
    expect(ok).toBe(false);
    for (const projectId of projectIds) {
      const sentence = `The monitoring agent of project ${projectId} rotates its log ${found}; set at most 1000 MB.`;
      expect(text).toContain(sentence);
    }
  }
  set({ logRotate: { sizeThresholdMB: 5000 } });
  const without = await deployment.preview({ env });
  expect(without.ok, without.text).toBe(true);
});
