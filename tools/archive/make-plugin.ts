import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bundlePlugin, OLDEST_NODE } from "./bundle.ts";

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
  write(`${EXECUTABLE}.cmd`, WINDOWS_LAUNCHER);
  // A package.json in a folder above could make an ES module of a file without an extension.
  write("package.json", `${JSON.stringify({ type: "commonjs" })}\n`);
}

const [MAJOR, MINOR] = OLDEST_NODE.split(".");
const NEEDS = `The plugin agent-log-config needs Node.js ${OLDEST_NODE} or later`;
const NO_NODE = `${NEEDS}, and there is no node on the PATH`;
const ADVICE = "install one, or the archive for this system from the plugin's release, which contains Node.js";

/**
 * The shell runs the second line, which is a text and a comment for Node.js. It says what is missing where there is no Node.js;
 * the lines after it, which old versions can read, say so where it is too old.
 */
const LAUNCHER = `#!/bin/sh
":" //; command -v node >/dev/null && exec node "$0" "$@"; echo "${NO_NODE}; ${ADVICE}." >&2; exit 1
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < ${MAJOR} || (major === ${MAJOR} && minor < ${MINOR})) {
  console.error("${NEEDS}, and the PATH has " + process.versions.node + "; ${ADVICE}.");
  process.exit(1);
}
// Compiled code is kept beside this file, which saves a third of the start.
require("node:module").enableCompileCache?.(require("node:path").join(__dirname, "compiled"));
require("./plugin.cjs");
`;

const WINDOWS_LAUNCHER = `@where /q node || (echo ${NO_NODE}; ${ADVICE}.>&2 & exit /b 1)
@node "%~dp0${EXECUTABLE}" %*
`.replaceAll("\n", "\r\n");
