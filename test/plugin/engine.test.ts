import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, type TestContext } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { EXECUTABLE, makePlugin } from "../../tools/archive/make-plugin.ts";
import { writeArchive } from "../../tools/archive/write-archive.ts";
import { openService } from "../client/open-client.ts";
import { environmentOf } from "../command/run-main.ts";
import { cliEnvironment } from "../deployment/cli-environment.ts";
import { configure, PRIVATE_KEY, PROJECT_ID, SETTINGS } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { runCommand } from "../deployment/run-command.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { examplesIn, fencesIn, PAGES } from "./examples-in.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { requireHost } from "./require-host.ts";

const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
/** What the engine says where a threshold is ignored. */
const NOT_IGNORED = "cannot ignore changes in added or removed elements of the path";
const installed = usePluginFolder();

/** The properties of a program in YAML, as JSON. */
interface YamlProgram {
  readonly resources?: object;
  readonly outputs?: object;
}

/** Opens a stack of a program in YAML, which starts as nothing, and a service that knows some projects. */
async function openYaml(context: TestContext) {
  const { path: folders } = requireHost(context, "yaml");
  const directory = temporaryFolder("yaml");
  const service = await openService({ privateKey: PRIVATE_KEY });
  for (const index of [1, 2, 3]) service.set(id(index), "monitoring", { logPath: `/log/${index}` });
  const writeText = (text: string) => writeFile(path.join(directory, "Pulumi.yaml"), text);
  const write = (program: YamlProgram) => writeText(JSON.stringify({ name: "program", runtime: "yaml", ...program }));
  await write({});
  const deployment = await openRealDeployment(directory, { PATH: installed.pathWith(folders) }, process.execPath);
  context.onTestFinished(() => deployment.close());
  await configure(deployment, service, "program", {});
  await deployment.setConfig("agent-log-config:maxRetries", "0");
  return { deployment, service, write, writeText };
}

const recordOf = (projectId: string, options: object = {}) => ({
  type: "agent-log-config:AgentLogConfig",
  properties: { projectId, agent: "monitoring" },
  options,
});

const reference = (resource: string) => `\${${resource}}`;

it("moves a record to another project although all settings of the one before are ignored", async (context) => {
  const { deployment, write } = await openYaml(context);
  const ignoreChanges = ["logPath", "logPathWindows", "logRotate", "username", "configOverrides"];
  const logPath = `\${one.logPath}`;
  const use = (projectId: string) => {
    return write({ resources: { one: recordOf(projectId, { ignoreChanges }) }, outputs: { logPath } });
  };
  await use(id(1));
  expect(await deployment.up()).toMatchObject({ ok: true });
  await use(id(2));
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(await deployment.outputs()).toEqual({ logPath: "/log/2" });
});

it("finds nothing in a refresh of a record that is not as expected", async (context) => {
  const { deployment, service, write } = await openYaml(context);
  const record = recordOf(id(1));
  await write({
    resources: { one: { ...record, properties: { ...record.properties, expect: { logPath: "/log/1" } } } },
  });
  expect(await deployment.up()).toMatchObject({ ok: true });
  service.set(id(1), "monitoring", { logPath: "/drifted" });
  expect(await deployment.refresh()).toMatchObject({ ok: true, steps: [expect.objectContaining({ op: "update" })] });
  const refreshed = await deployment.run(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);
  expect([refreshed.exitCode, refreshed.steps]).toEqual([0, []]);
});

it("keeps what ignoreChanges names, as a whole, in part or all of it", async (context) => {
  const { deployment, service, write } = await openYaml(context);
  const set = (sizeThresholdMB: number, others: object = {}) => {
    service.set(id(1), "monitoring", { logPath: `/log/${sizeThresholdMB}`, logRotate: { sizeThresholdMB, ...others } });
  };
  const ignored = { setting: ["logPath"], whole: ["logRotate"], member: ["logRotate.sizeThresholdMB"], all: ["*"] };
  const named = Object.entries(ignored);
  const resources = named.map(([name, ignoreChanges]) => [name, recordOf(id(1), { ignoreChanges })]);
  const shown = (name: string) => `${reference(`${name}.logPath`)} ${reference(`${name}.logRotate.sizeThresholdMB`)}`;
  const outputs = Object.fromEntries(named.map(([name]) => [name, shown(name)]));
  await write({ resources: Object.fromEntries(resources), outputs });
  for (const sizeThresholdMB of [1, 2]) {
    set(sizeThresholdMB);
    expect(await deployment.up()).toMatchObject({ ok: true });
  }
  const kept = { setting: "/log/1 2", whole: "/log/2 1", member: "/log/2 1", all: "/log/1 1" };
  expect(await deployment.outputs()).toEqual(kept);
  const { ok, text } = await deployment.preview({ expectNoChanges: true });
  expect([ok, text]).toEqual([true, expect.stringContaining(NOT_IGNORED)]);
  const gate = ["refresh", "--preview-only", "--run-program", "--expect-no-changes"];
  expect(await deployment.run(gate)).toMatchObject({ exitCode: 0 });
  expect(PAGES.get("docs/on-call.md")).toContain(NOT_IGNORED);

  // What is ignored as a whole keeps its value, also where the service adds a threshold.
  set(2, { numTotal: 5 });
  const { steps } = await deployment.preview();
  expect(steps.map(({ name }) => name).toSorted()).toEqual(["member", "setting"]);
});

it("calls functions with pulumi do, without a project and a stack", async (context) => {
  // It reads the arguments.
  const { command, path: folders } = requireHost(context, "yaml", "converter");
  const directory = temporaryFolder("do");
  const service = await openService({ privateKey: PRIVATE_KEY });
  service.set(PROJECT_ID, "backup", { logPath: "/var/log/backup-agent.log" });
  const env = {
    ...cliEnvironment(folders, { home: path.join(directory, "home"), backend: directory }),
    ...environmentOf(service),
  };
  const pulumi = (...words: string[]) => runCommand(command, words, { cwd: directory, env, signal: context.signal });
  const call = async (name: string, args: object) => {
    await writeFile(path.join(directory, "args.yaml"), JSON.stringify(args));
    const { stdout, stderr } = await pulumi("do", `agent-log-config:${name}`, "--input-file", "args.yaml");
    return stdout === "" ? stderr : JSON.parse(stdout);
  };
  // It does not look on the PATH.
  await makePlugin(path.join(directory, "plugin"));
  writeArchive(path.join(directory, "plugin.tar.gz"), path.join(directory, "plugin"), EXECUTABLE);
  await pulumi("plugin", "install", "resource", "agent-log-config", manifest.version, "--file", "plugin.tar.gz");
  const settings = { id: `${PROJECT_ID}/backup`, logPath: "/var/log/backup-agent.log" };
  expect(await call("getAgentLogConfig", { projectId: PROJECT_ID, agent: "backup" })).toMatchObject(settings);
  expect(await call("getAgentLogConfig", { projectId: "f".repeat(24), agent: "backup" })).toContain("#err_");
  const many = await call("getAgentLogConfigs", { projectIds: [PROJECT_ID], agents: ["backup"] });
  expect(many).toMatchObject({ configs: [settings], failures: [] });
});

const shown = fencesIn([...PAGES.values()].join("\n"), "yaml").filter((code) => code.startsWith("resources:"));

it.for([...examplesIn("yaml"), ...shown].map((code, index) => [index, code] as const))(
  "previews example %i of the schema and the pages in YAML",
  async ([, code], context) => {
    const { deployment, service, writeText } = await openYaml(context);
    await writeText(`name: program\nruntime: yaml\n${code}`);
    await deployment.setConfig("program:westPrivateKey", PRIVATE_KEY, { secret: true });
    for (const projectId of new Set([PROJECT_ID, ...(code.match(/\b[0-9a-f]{24}\b/g) ?? [])])) {
      for (const agent of ["monitoring", "backup"] as const) service.set(projectId, agent, SETTINGS);
    }
    expect(await deployment.preview()).toMatchObject({ ok: true });
  },
);
