import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { makePlugin } from "../../tools/archive/make-plugin.ts";
import { findPulumi } from "../deployment/find-pulumi.ts";

/** A folder of the tests of a file, with the plugin in `plugins` if there is a CLI that runs it. */
export interface PluginFolder {
  /** Its path. There is none before the tests run. */
  readonly path: () => string;
  /** The folder of the plugin in it. */
  readonly plugins: () => string;
  /** Returns the PATH on which an engine finds the plugin, this Node.js and what is in these folders. */
  readonly pathWith: (folders: string) => string;
}

/** Makes the folder before the tests of a file, and removes it after them. */
export function usePluginFolder(): PluginFolder {
  let folder = "";
  const plugins = () => path.join(folder, "plugins");
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "plugin-"));
    if (!("reason" in findPulumi())) await makePlugin(plugins());
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    path: () => folder,
    plugins,
    pathWith: (folders) => [plugins(), path.dirname(process.execPath), folders].join(path.delimiter),
  };
}
