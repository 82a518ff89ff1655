import { spawnSync } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, sep } from "node:path";

export interface FoundPulumi {
  readonly command: string;
  readonly version: string;
  /** The PATH that the command was found on, without folders of npm packages. */
  readonly path: string;
}

const isWindows = process.platform === "win32";
const executable = (name: string) => (isWindows ? `${name}.exe` : name);

/** Finds a Pulumi CLI that can run Node.js programs, on the PATH or where its installer puts it. Downloads nothing. */
export function findPulumi(
  env: Readonly<Record<string, string | undefined>> = process.env,
): FoundPulumi | { readonly reason: string } {
  const home = env["PULUMI_HOME"] || join(homedir(), ".pulumi");
  const folders = [...(env["PATH"] ?? "").split(delimiter), join(home, "bin")].filter(
    (folder) => folder !== "" && !isInNodeModules(folder),
  );
  const folder = folders.find((candidate) => hasExecutable(candidate, executable("pulumi")));
  if (folder === undefined) return { reason: "no pulumi on the PATH" };

  const command = join(folder, executable("pulumi"));
  const pluginFolders = [dirname(realpathSync(command)), ...folders];
  const plugins = [
    executable("pulumi-language-nodejs"),
    isWindows ? "pulumi-resource-pulumi-nodejs.cmd" : "pulumi-resource-pulumi-nodejs",
  ];
  const missing = plugins.filter((plugin) => !pluginFolders.some((candidate) => hasExecutable(candidate, plugin)));
  if (missing.length > 0) return { reason: `pulumi is in ${folder}, but ${missing.join(" and ")} is missing` };

  const answer = spawnSync(command, ["version"], {
    encoding: "utf8",
    timeout: 10_000,
    env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  const version = /^v?(\d+\.\d+\.\d+\S*)/.exec(answer.stdout ?? "")?.[1];
  if (answer.status !== 0 || version === undefined) {
    return { reason: `pulumi version failed: ${answer.error?.message ?? answer.stderr.trim()}` };
  }
  return { command, version, path: folders.join(delimiter) };
}

/** The npm package `pulumi` puts a wrapper there that downloads the CLI. */
function isInNodeModules(path: string): boolean {
  return `${path}${sep}`.includes(`${sep}node_modules${sep}`);
}

function hasExecutable(folder: string, name: string): boolean {
  const path = join(folder, name);
  try {
    accessSync(path, constants.X_OK);
    return !isInNodeModules(realpathSync(path));
  } catch {
    return false;
  }
}
