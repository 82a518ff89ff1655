import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { makePlugin } from "../../tools/archive/make-plugin.ts";

/** A folder of the tests of a file, with the plugin in `plugins`. */
export interface PluginFolder {
  /** Its path. There is none before the tests run. */
  readonly path: () => string;
  /** The folder of the plugin in it. */
  readonly plugins: () => string;
  /** The module that the plugin is. */
  readonly module: () => string;
  /** Returns the PATH on which an engine finds the plugin, this Node.js and what is in these folders. */
  readonly pathWith: (folders: string) => string;
}

/** Makes the folder before the tests of a file, and removes it after them. */
export function usePluginFolder(): PluginFolder {
  let folder = "";
  const plugins = () => path.join(folder, "plugins");
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "plugin-"));
    await makePlugin(plugins());
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    path: () => folder,
    plugins,
    module: () => path.join(plugins(), "plugin.cjs"),
    pathWith: (folders) => [plugins(), path.dirname(process.execPath), folders].join(path.delimiter),
  };
}
