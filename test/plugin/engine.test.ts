import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, type TestContext } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { startService } from "../../sdk/testing/index.ts";
import { EXECUTABLE, makePlugin } from "../../tools/archive/make-plugin.ts";
import { writeArchive } from "../../tools/archive/write-archive.ts";
import { cliEnvironment } from "../deployment/cli-environment.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { openDeployment } from "../deployment/open-deployment.ts";
import { configure, makeProgramFolder, PRIVATE_KEY, PROJECT_ID, SETTINGS } from "../deployment/open-program.ts";
import { runCommand } from "../deployment/run-command.ts";
import { examplesIn, fencesIn, PAGES } from "./examples-in.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { requireHost } from "./require-host.ts";

/** What the engine says where a threshold is ignored. */
const NOT_IGNORED = "cannot ignore changes in added or removed elements of the path";
const installed = usePluginFolder();

/** Opens a stack of a program for which the engine finds the plugin on the PATH. */
async function open(context: TestContext, directory: string, language: string): Promise<Deployment> {
  const { path: folders } = requireHost(context, language);
  const env = { PATH: installed.pathWith(folders) };
  const deployment = await openDeployment({ directory, engine: "real", env });
  context.onTestFinished(() => deployment.close());
  return deployment;
}

it("shows no more than the settings where another service has others", async (context) => {
  const directory = await mkdtemp(path.join(tmpdir(), "moved-"));
  const start = (logRotate: object) => startService({ settings: { [PROJECT_ID]: { monitoring: { logRotate } } } });
  const services = [
    await start({ sizeThresholdMB: 1, timeThresholdHrs: 24 }),
    await start({ sizeThresholdMB: 2, timeThresholdHrs: 24 }),
  ];
  context.onTestFinished(async () => {
    await Promise.all(services.map((service) => service.close()));
    await rm(directory, { recursive: true, force: true });
  });
  const properties = { projectId: PROJECT_ID, agent: "monitoring" };
  const resources = { settings: { type: "agent-log-config:AgentLogConfig", properties } };
  await writeFile(path.join(directory, "Pulumi.yaml"), JSON.stringify({ name: "moved", runtime: "yaml", resources }));
  const deployment = await open(context, directory, "yaml");
  const texts: string[] = [];
  for (const service of services) {
    await configure(deployment, service, "moved", {});
    texts.push((await deployment.preview()).text);
    expect(await deployment.up()).toMatchObject({ ok: true });
  }
  expect(texts[1]).toMatch(/~ logRotate: \{\s+~ sizeThresholdMB *: 1 => 2\s/);
  expect(texts.join()).not.toContain("__service");
});

it("completes an explicit provider by the settings of the stack, also one that is named as the engine names its own", async (context) => {
  const directory = await mkdtemp(path.join(tmpdir(), "named-"));
  const service = await startService({
    privateKey: PRIVATE_KEY,
    settings: { [PROJECT_ID]: { monitoring: { logPath: "/l" } } },
  });
  context.onTestFinished(async () => {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });
  const resources = {
    default: { type: "pulumi:providers:agent-log-config", properties: { maxRetries: 0 } },
    settings: {
      type: "agent-log-config:AgentLogConfig",
      properties: { projectId: PROJECT_ID, agent: "monitoring" },
      options: { provider: `\${default}` },
    },
  };
  const program = { name: "named", runtime: "yaml", resources, outputs: { logPath: `\${settings.logPath}` } };
  await writeFile(path.join(directory, "Pulumi.yaml"), JSON.stringify(program));
  const deployment = await open(context, directory, "yaml");
  await configure(deployment, service, "named", {});
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(await deployment.outputs()).toEqual({ logPath: "/l" });
  await deployment.setConfig("agent-log-config:timeoutSeconds", "soon");
  expect((await deployment.preview()).text).toContain(
    "timeoutSeconds (the configuration key agent-log-config:timeoutSeconds)",
  );
});

it("never overwrites what ignoreChanges keeps, and shows the drift once the option is gone", async (context) => {
  const directory = await mkdtemp(path.join(tmpdir(), "ignoring-"));
  const service = await startService({ privateKey: PRIVATE_KEY });
  context.onTestFinished(async () => {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });
  const options = {
    setting: ["logPath"],
    whole: ["logRotate"],
    member: ["logRotate.sizeThresholdMB"],
    all: ["*"],
  };
  const write = async (ignores: boolean) => {
    const resources = Object.entries(options).map(([name, paths]) => [
      name,
      {
        type: "agent-log-config:AgentLogConfig",
        properties: { projectId: PROJECT_ID, agent: "monitoring" },
        ...(ignores && { options: { ignoreChanges: paths } }),
      },
    ]);
    const shown = Object.keys(options).map((name) => [
      name,
      `\${${name}.logPath} \${${name}.logRotate.sizeThresholdMB}`,
    ]);
    const [program, outputs] = [Object.fromEntries(resources), Object.fromEntries(shown)];
    const file = { name: "ignoring", runtime: "yaml", resources: program, outputs };
    await writeFile(path.join(directory, "Pulumi.yaml"), JSON.stringify(file));
  };
  const set = (sizeThresholdMB: number) => {
    service.set(PROJECT_ID, "monitoring", { logPath: `/log/${sizeThresholdMB}`, logRotate: { sizeThresholdMB } });
  };
  await write(true);
  const deployment = await open(context, directory, "yaml");
  await configure(deployment, service, "ignoring", {});
  for (const sizeThresholdMB of [1, 2]) {
    set(sizeThresholdMB);
    expect(await deployment.up()).toMatchObject({ ok: true });
  }
  const outputs = { setting: "/log/1 2", whole: "/log/2 1", member: "/log/2 1", all: "/log/1 1" };
  expect(await deployment.outputs()).toEqual(outputs);
  const text = expect.stringContaining(NOT_IGNORED);
  expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true, text });
  expect(PAGES.get("docs/languages.md")).toContain(NOT_IGNORED);

  service.set(PROJECT_ID, "monitoring", { logPath: "/log/2", logRotate: { sizeThresholdMB: 2, numTotal: 5 } });
  const { steps: added } = await deployment.preview();
  // What is ignored as a whole keeps its value, also where the service adds a threshold.
  expect(added.map(({ name }) => name).toSorted()).toEqual(["member", "setting"]);
  set(2);

  await write(false);
  const { steps } = await deployment.preview();
  const [pathDiffers, memberDiffers] = ['logPath: "/log/1" => "/log/2"', "logRotate.sizeThresholdMB: 1 => 2"];
  expect(Object.fromEntries(steps.map(({ name, differences }) => [name, differences]))).toMatchObject({
    setting: [pathDiffers],
    whole: [memberDiffers],
    member: [memberDiffers],
    all: [pathDiffers, memberDiffers],
  });
});

it("calls functions with pulumi do, without a project and a stack", async (context) => {
  // It reads the arguments.
  const { command, path: folders } = requireHost(context, "yaml", "converter");
  const directory = await mkdtemp(path.join(tmpdir(), "do-"));
  const service = await startService({ privateKey: PRIVATE_KEY });
  context.onTestFinished(async () => {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });
  service.set(PROJECT_ID, "backup", { logPath: "/var/log/backup-agent.log" });
  const env = {
    ...cliEnvironment(folders, { home: path.join(directory, "home"), backend: directory }),
    AGENT_LOG_CONFIG_BASE_URL: service.baseUrl,
    AGENT_LOG_CONFIG_PUBLIC_KEY: "publickey",
    AGENT_LOG_CONFIG_PRIVATE_KEY: PRIVATE_KEY,
    AGENT_LOG_CONFIG_ALLOW_HTTP: "true",
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
    const directory = await mkdtemp(path.join(tmpdir(), "example-"));
    await writeFile(path.join(directory, "Pulumi.yaml"), `name: example\nruntime: yaml\n${code}`);
    const service = await startService({ privateKey: PRIVATE_KEY });
    context.onTestFinished(async () => {
      await service.close();
      await rm(directory, { recursive: true, force: true });
    });
    for (const projectId of new Set([PROJECT_ID, ...(code.match(/\b[0-9a-f]{24}\b/g) ?? [])])) {
      for (const agent of ["monitoring", "backup"] as const) service.set(projectId, agent, SETTINGS);
    }
    const deployment = await open(context, directory, "yaml");
    await configure(deployment, service, "example", {});
    expect(await deployment.preview()).toMatchObject({ ok: true });
  },
);

it.for([["dynamic", "plugin", "dynamic"] as const, ["plugin", "dynamic", "plugin"] as const])(
  "moves a resource in place, from the %s provider to the %s and back",
  async (providers, context) => {
    const { directory, service } = await makeProgramFolder(context, "moving");
    const deployment = await open(context, directory, "nodejs");
    await configure(deployment, service, "moving", {});
    for (const [index, provider] of providers.entries()) {
      await deployment.setConfig("moving:by", provider);
      const { ok, text } = await deployment.up();
      expect(ok, text).toBe(true);
      if (index > 0) expect(text).not.toMatch(/\((?:replace|create|delete)/);
      expect(await deployment.refresh()).toMatchObject({ ok: true });
      expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true });
    }
    expect(await deployment.destroy()).toMatchObject({ ok: true });
  },
);
