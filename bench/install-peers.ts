import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const folder = new URL("peers/", import.meta.url);
const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()) });

/** The versions of the peers, by their names; installs those that are missing. Undefined where that can't be done. */
export function installPeers(): Readonly<Record<string, string>> | undefined {
  const { dependencies } = manifestSchema.parse(JSON.parse(readFileSync(new URL("package.json", folder), "utf8")));
  const missing = () =>
    Object.keys(dependencies).filter((name) => !existsSync(new URL(`node_modules/${name}`, folder)));
  if (missing().length > 0) install();
  return missing().length > 0 ? undefined : dependencies;
}

function install(): void {
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000"];
  const command = ["ci", "--prefix", fileURLToPath(folder), ...options];
  const npm = process.env["npm_execpath"];
  const [program, ...args] = npm === undefined ? ["npm", ...command] : [process.execPath, npm, ...command];
  spawnSync(program, args, { stdio: "inherit", env: withoutSettingsOfNpm() });
}

/** `npm run` hands its own settings down, the folder of the project among them. */
function withoutSettingsOfNpm(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== "npm_config_local_prefix"));
}
