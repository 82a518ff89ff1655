import path from "node:path";

/**
 * Returns the environment in which to run the Pulumi CLI. The PATH is the user's own: npx and npm put the folders of
 * projects before it, in which any dependency may have a command with the name `pulumi`.
 */
export function pulumiEnvironment(): NodeJS.ProcessEnv {
  const folders = process.env["PATH"]?.split(path.delimiter) ?? [];
  const own = folders.filter((folder) => !/(?:^|[\\/])node_modules[\\/]+\.bin[\\/]*$/.test(folder));
  return { ...process.env, PATH: own.join(path.delimiter) };
}
