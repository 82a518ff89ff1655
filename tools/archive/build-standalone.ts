import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inject } from "postject";
import { extract } from "tar";
import manifest from "../../package.json" with { type: "json" };
import { bundlePlugin } from "./bundle.ts";
import { EXECUTABLE, LICENSES } from "./make-plugin.ts";
import { writeArchive } from "./write-archive.ts";

// Makes an archive of the plugin for this system, with a copy of the Node.js that runs this script. The engine downloads it from
// a release by its name.

const root = path.resolve(import.meta.dirname, "../..");
const isMac = process.platform === "darwin";
const isWindows = process.platform === "win32";
// The names that Go gives to systems and processors, which the engine looks for.
const system = isWindows ? "windows" : process.platform;
const processor = process.arch === "x64" ? "amd64" : process.arch;
const archive = path.join(root, "dist-plugin", `${EXECUTABLE}-v${manifest.version}-${system}-${processor}.tar.gz`);

const temporary = mkdtempSync(path.join(tmpdir(), "plugin-"));
const folder = path.join(temporary, "plugin");
mkdirSync(folder);
const executable = path.join(folder, isWindows ? `${EXECUTABLE}.exe` : EXECUTABLE);
const main = path.join(temporary, "plugin.cjs");
const output = path.join(temporary, "plugin.blob");
const options = path.join(temporary, "options.json");
writeFileSync(path.join(folder, LICENSES), await bundlePlugin(main));
copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
writeFileSync(options, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, useCodeCache: true }));
execFileSync(process.execPath, ["--experimental-sea-config", options], { stdio: ["ignore", "ignore", "inherit"] });
copyFileSync(process.execPath, executable);
chmodSync(executable, 0o755);
if (isMac) execFileSync("codesign", ["--remove-signature", executable]);
await inject(executable, "NODE_SEA_BLOB", readFileSync(output), {
  // Node.js looks for this text, which its documentation names.
  sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
  ...(isMac ? { machoSegmentName: "NODE_SEA" } : {}),
});
if (isMac) execFileSync("codesign", ["--sign", "-", executable]);
writeArchive(archive, folder, EXECUTABLE);

// A plugin prints its port first, and ends with its standard input, which is empty here.
const unpacked = path.join(temporary, "unpacked");
mkdirSync(unpacked);
extract({ file: archive, cwd: unpacked, sync: true });
const started = path.join(unpacked, path.basename(executable));
const printed = execFileSync(started, ["127.0.0.1:1"], { encoding: "utf8", timeout: 60_000 });
if (!/^\d+\n/.test(printed)) throw new Error(`The plugin in ${archive} printed no port: ${JSON.stringify(printed)}`);

// Windows keeps a program that has just run for a moment.
rmSync(temporary, { recursive: true, maxRetries: 10 });
process.stdout.write(`${archive}\n`);
