import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { EXECUTABLE, makePlugin } from "../plugin/make-plugin.ts";
import { measurePreviews, type OpenPreview } from "./measure-previews.ts";
import { measureRounds } from "./measure-rounds.ts";
import { projectIds, SETTINGS, startSlowService } from "./start-slow-service.ts";

// How long the plugin takes to start and end, and previews with it beside one with the values written down, in YAML.

const folder = await mkdtemp(path.join(tmpdir(), "plugin-bench-"));
const PULUMI_HOME = path.join(folder, "home");
const plugin = path.join(PULUMI_HOME, "plugins/resource-agent-log-config-v0.1.0");
await makePlugin(plugin);
await writeFile(`${plugin}.lock`, "");

const literal = { resources: { r0: { type: "pulumi:index:Stash", properties: { input: SETTINGS } } } };
const type = "agent-log-config:AgentLogConfig";
const resource = (projectId: string) => [`r${projectId}`, { type, properties: { projectId, agent: "monitoring" } }];
const resources = (count: number) => ({ resources: Object.fromEntries(projectIds(count).map(resource)) });
const args = { projectIds: projectIds(200), agents: ["monitoring"] };
const call = { "fn::invoke": { function: "agent-log-config:getAgentLogConfigs", arguments: args } };
const reads = { variables: { settings: call }, outputs: { logPath: `\${settings.configs[199].logPath}` } };

try {
  await measureRounds(15, [{ what: "start and end of the plugin", goal: "0.15 s", run: startPlugin }]);
  await measurePreviews(() => mkdtemp(`${folder}/`), measureYaml);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Waits for the line with its port, and ends it so that it keeps its compiled code for the next start. */
async function startPlugin(): Promise<void> {
  const child = spawn(path.join(plugin, EXECUTABLE), ["127.0.0.1:1"], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.stdin.end();
  await once(child, "close");
}

async function measureYaml(openPreview: OpenPreview): Promise<void> {
  const near = await startSlowService(200, 0);
  const far = await startSlowService(200, 40);
  const open = (program: object, { env } = near) =>
    openPreview(
      { "Pulumi.yaml": JSON.stringify({ name: "bench", runtime: "yaml", ...program }) },
      { ...env, PULUMI_HOME },
    );
  await measureRounds(5, [
    { what: "preview with a literal Stash", run: await open(literal) },
    { what: "preview of 1 resource", goal: "1.25 times", run: await open(resources(1)) },
  ]);
  await measureRounds(3, [{ what: "preview of 200 resources, 0 ms", goal: "1.5 s", run: await open(resources(200)) }]);
  await measureRounds(1, [{ what: "preview of 200 resources, 40 ms", run: await open(resources(200), far) }]);
  await measureRounds(3, [{ what: "getAgentLogConfigs of 200, 40 ms", goal: "1.5 s", run: await open(reads, far) }]);
  await Promise.all([near.close(), far.close()]);
}
