import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { extract } from "tar";
import { afterAll, beforeAll, expect, inject, it, type TestContext } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { EXECUTABLE } from "../../tools/archive/make-plugin.ts";
import { writeArchive } from "../../tools/archive/write-archive.ts";
import { cliEnvironment } from "../deployment/cli-environment.ts";
import { findPulumi } from "../deployment/find-pulumi.ts";
import { configure, makeProgramFolder, PROJECT_ID } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { runCommand } from "../deployment/run-command.ts";
import { linkPythonSdk } from "./generate-sdk.ts";
import { requireHost } from "./require-host.ts";

/** The packed package under two versions. It says in its requests which one it is. */
const [OLD, NEW] = ["0.0.9", manifest.version];
const ARGS = { projectId: PROJECT_ID, agent: "monitoring", whenUnavailable: "useRecorded" };
const FLEET_ARGS = { projects: { orders: PROJECT_ID }, whenUnavailable: "useRecorded" };
const PYTHON = `
import pulumi_agent_log_config as logs
logs.AgentLogConfig("monitoring", project_id="${PROJECT_ID}", agent="monitoring", when_unavailable="useRecorded")
logs.AgentLogConfigs("fleet", projects={"orders": "${PROJECT_ID}"}, when_unavailable="useRecorded")
`;
const PACKAGE = "node_modules/pulumi-agent-log-config";
const packed = inject("installedPackage");
const releaseOf = (version: string) => path.join(packed, "releases", version);
let folder: string;

/** Writes a program into its folder that uses a version, and returns what its runs need in their environment. */
const PROGRAMS = {
  nodejs: async (_: TestContext, directory: string, version: string) => {
    await rm(path.join(directory, PACKAGE), { recursive: true, force: true });
    await cp(releaseOf(version), path.join(directory, PACKAGE), { recursive: true });
    return {};
  },
  yaml: async (_: TestContext, directory: string, version: string) => {
    const resourceOf = (type: string, properties: object) => ({ type, properties, options: { version } });
    const resources = {
      monitoring: resourceOf("agent-log-config:AgentLogConfig", ARGS),
      fleet: resourceOf("agent-log-config:AgentLogConfigs", FLEET_ARGS),
    };
    const program = { name: "failures", runtime: "yaml", resources };
    await writeFile(path.join(directory, "Pulumi.yaml"), JSON.stringify(program));
    return {};
  },
  python: async (context: TestContext, directory: string, version: string) => {
    await writeFile(path.join(directory, "Pulumi.yaml"), "name: failures\nruntime: python\n");
    await writeFile(path.join(directory, "__main__.py"), PYTHON);
    await mkdir(path.join(folder, version), { recursive: true });
    return linkPythonSdk(context, path.join(folder, version), version);
  },
};
const LANGUAGES = ["nodejs", "yaml", "python"] as const;

/** What users get by `npm install pulumi-agent-log-config@<version>`. */
async function makeRelease(version: string): Promise<void> {
  const release = releaseOf(version);
  await cp(path.join(packed, PACKAGE), release, { recursive: true });
  await writeFile(path.join(release, "package.json"), JSON.stringify({ ...manifest, version }));
  const archive = path.join(release, "dist/plugin/pulumi-resource-agent-log-config.tar.gz");
  const plugin = await mkdtemp(path.join(folder, "plugin-"));
  await extract({ file: archive, cwd: plugin });
  const bundle = path.join(plugin, "plugin.cjs");
  await writeFile(bundle, (await readFile(bundle, "utf8")).replaceAll(`"${manifest.version}"`, `"${version}"`));
  writeArchive(archive, plugin, EXECUTABLE);
}

/** Installs the plugin of each version by the command of that version. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "upgrades-"));
  const found = findPulumi();
  if ("reason" in found) return;
  const env = cliEnvironment(found.path, { home: path.join(folder, "home"), backend: folder });
  for (const version of [OLD, NEW]) {
    await makeRelease(version);
    const args = [path.join(releaseOf(version), "dist/command/main.js"), "install-plugin"];
    const { signal } = new AbortController();
    expect(await runCommand(process.execPath, args, { cwd: folder, env, signal })).toMatchObject({ exitCode: 0 });
  }
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(path.join(packed, "releases"), { recursive: true, force: true });
});

it.for(LANGUAGES)("keeps records over an upgrade and back in %s", { timeout: 300_000 }, async (language, context) => {
  requireHost(context, language);
  const { directory, service } = await makeProgramFolder(context, "failures");
  let env = await PROGRAMS[language](context, directory, OLD);
  const fast = { PULUMI_HOME: path.join(folder, "home"), PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  const deployment = await openRealDeployment(directory, fast, process.execPath);
  context.onTestFinished(() => deployment.close());
  const resources = { monitoring: { args: ARGS } };
  await configure(deployment, service, "failures", { resources, fleets: { fleet: { args: FLEET_ARGS } } });
  await deployment.setConfig("agent-log-config:maxRetries", "0");
  const names = ["fleet-orders-backup", "fleet-orders-monitoring", "monitoring"];
  const recorded = await deployment.up({ env });
  expect(recorded.ok, recorded.text).toBe(true);
  expect(recorded.steps.map(({ name }) => name)).toEqual(expect.arrayContaining(names));

  const unchanged = { ok: true, steps: [] };
  for (const version of [NEW, OLD]) {
    env = await PROGRAMS[language](context, directory, version);
    const before = service.requests.length;
    expect(await deployment.preview({ expectNoChanges: true, env })).toMatchObject(unchanged);
    const agents = service.requests.slice(before).map(({ headers }) => headers["user-agent"]);
    expect(new Set(agents)).toEqual(new Set([`pulumi-agent-log-config/${version}`]));

    service.respondWith({ status: 503 });
    const outage = await deployment.up({ env });
    expect(outage).toMatchObject({ ...unchanged, text: expect.stringMatching(/uses? the recorded settings/) });
    service.respondWith(undefined);
    expect(await deployment.refresh({ env })).toMatchObject(unchanged);

    const logPath = `/changed/before/${version}`;
    for (const agent of ["monitoring", "backup"] as const) service.set(PROJECT_ID, agent, { logPath });
    const { ok, steps } = await deployment.up({ env });
    expect([ok, steps.map(({ op, name }) => `${op} ${name}`).toSorted()]).toEqual([
      true,
      names.map((name) => `update ${name}`),
    ]);
    expect(await deployment.preview({ expectNoChanges: true, env })).toMatchObject(unchanged);
  }
  expect(await deployment.destroy({ env })).toMatchObject({ ok: true });
});
