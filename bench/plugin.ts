import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { EXECUTABLE } from "../tools/archive/make-plugin.ts";
import { installPlugin } from "./install-plugin.ts";
import { measurePreviews } from "./measure-previews.ts";
import { measureRounds } from "./measure-rounds.ts";
import { filesOfYaml, literalsInYaml, resourcesInYaml } from "./programs.ts";
import { projectIds, startSlowService } from "./start-slow-service.ts";

// How long the plugin takes to start and end, and previews with it beside one with the values written down, in YAML.

const args = { projectIds: projectIds(200), agents: ["monitoring"] };
const call = { "fn::invoke": { function: "agent-log-config:getAgentLogConfigs", arguments: args } };
const reads = { variables: { settings: call }, outputs: { logPath: `\${settings.configs[199].logPath}` } };

await measurePreviews(
  () => mkdtemp(path.join(tmpdir(), "plugin-bench-")),
  async (openPreview, folder) => {
    const { plugin, env } = await installPlugin(folder);
    await measureRounds(15, [{ what: "start and end of the plugin", goal: "0.15 s", run: () => startPlugin(plugin) }]);
    const near = await startSlowService(200, 0);
    const far = await startSlowService(200, 40);
    const open = (program: object, service = near) => openPreview(filesOfYaml(program), { ...service.env, ...env });
    await measureRounds(5, [
      { what: "preview with a literal Stash", run: await open(literalsInYaml(1)) },
      { what: "preview of 1 resource", goal: "1.35 times", run: await open(resourcesInYaml(1)) },
    ]);
    const many = resourcesInYaml(200);
    await measureRounds(3, [{ what: "preview of 200 resources, 0 ms", goal: "2 s", run: await open(many) }]);
    await measureRounds(1, [{ what: "preview of 200 resources, 40 ms", run: await open(many, far) }]);
    await measureRounds(3, [{ what: "getAgentLogConfigs of 200, 40 ms", goal: "1.5 s", run: await open(reads, far) }]);
    await Promise.all([near.close(), far.close()]);
  },
);

/** Waits for the line with its port, and ends it so that it keeps its compiled code for the next start. */
async function startPlugin(plugin: string): Promise<void> {
  const child = spawn(path.join(plugin, EXECUTABLE), ["127.0.0.1:1"], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.stdin.end();
  await once(child, "close");
}
