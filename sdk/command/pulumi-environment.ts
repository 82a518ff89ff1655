import path from "node:path";

/**
 * Returns the environment in which to run the Pulumi CLI. The PATH is the user's own: npx and npm put the folders of
 * projects before it, in which any dependency may have a command with the name `pulumi`, and an empty or relative folder
 * depends on the current one.
 */
export function pulumiEnvironment(): NodeJS.ProcessEnv {
  const folders = process.env["PATH"]?.split(path.delimiter) ?? [];
  const own = folders.filter(
    (folder) => path.isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin$/.test(path.resolve(folder)),
  );
  // An empty PATH would be the current folder. Without one the system looks into its own folders.
  return { ...process.env, PATH: own.join(path.delimiter) || undefined };
}
