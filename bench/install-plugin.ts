import { writeFile } from "node:fs/promises";
import path from "node:path";
import { makePlugin } from "../tools/archive/make-plugin.ts";

/** Installs the plugin in a folder. Returns where it is, and the environment in which an engine finds it. */
export async function installPlugin(folder: string) {
  const PULUMI_HOME = path.join(folder, "home");
  const plugin = path.join(PULUMI_HOME, "plugins/resource-agent-log-config-v0.1.0");
  await makePlugin(plugin);
  await writeFile(`${plugin}.lock`, "");
  return { plugin, env: { PULUMI_HOME } };
}
