import { realpathSync } from "node:fs";
import path from "node:path";

/**
 * Returns the environment in which to run the Pulumi CLI. The PATH is the user's own: npx and npm put the folders of
 * projects before it, in which any dependency may have a command with the name `pulumi`, and an empty or relative folder
 * depends on the current one.
 */
export function pulumiEnvironment(): NodeJS.ProcessEnv {
  const folders = process.env["PATH"]?.split(path.delimiter) ?? [];
  const own = folders.filter((folder) => path.isAbsolute(folder) && !isOfProject(folder));
  // An empty PATH would be the current folder. Without one the system looks into its own folders.
  return { ...process.env, PATH: own.join(path.delimiter) || undefined };
}

function isOfProject(folder: string): boolean {
  try {
    // A link may lead to such a folder, and in it node_modules may be a link to another one.
    return [path.resolve(folder), realpathSync(folder)].some((name) => /[\\/]node_modules[\\/]\.bin$/.test(name));
  } catch {
    return true;
  }
}
