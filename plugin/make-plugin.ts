import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bundlePlugin } from "./bundle.ts";

/** The name of the file that the engine starts. */
export const EXECUTABLE = "pulumi-resource-agent-log-config";

/** The file with the licenses of the packages that the plugin contains. */
export const LICENSES = "THIRD-PARTY-LICENSES.txt";

/** Makes the plugin in a folder that the engine can start it from, with the `node` of the PATH. */
export async function makePlugin(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const write = (file: string, text: string) => writeFileSync(path.join(folder, file), text);
  write(LICENSES, await bundlePlugin(path.join(folder, "plugin.cjs")));
  write(EXECUTABLE, LAUNCHER);
  chmodSync(path.join(folder, EXECUTABLE), 0o755);
  write(`${EXECUTABLE}.cmd`, `@node "%~dp0${EXECUTABLE}" %*\r\n`);
  // A package.json in a folder above could make an ES module of a file without an extension.
  write("package.json", `${JSON.stringify({ type: "commonjs" })}\n`);
}

const LAUNCHER = `#!/usr/bin/env node
// Compiled code is kept beside this file, which saves a third of the start.
require("node:module").enableCompileCache?.(require("node:path").join(__dirname, "compiled"));
require("./plugin.cjs");
`;
