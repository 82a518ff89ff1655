import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { inject } from "postject";
import { bundlePlugin } from "./bundle.ts";
import { EXECUTABLE, LICENSES, makePlugin } from "./make-plugin.ts";
import { writeArchive } from "./write-archive.ts";

// Makes the archive that `pulumi plugin install resource agent-log-config <version> --file <archive>` takes.

const root = path.resolve(import.meta.dirname, "..");
const { values } = parseArgs({ options: { standalone: { type: "boolean", default: false } } });
const out = path.join(root, "dist-plugin");
const folder = path.join(out, values.standalone ? "standalone" : "bundle");
const { version }: { version: string } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
if (values.standalone) await makeStandalonePlugin();
else await makePlugin(folder);
copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
// The names that Go gives to systems and processors, which the engine looks for.
const system = process.platform === "win32" ? "windows" : process.platform;
const processor = process.arch === "x64" ? "amd64" : process.arch;
const archive = path.join(out, `${EXECUTABLE}-v${version}-${system}-${processor}.tar.gz`);
writeArchive(archive, folder, EXECUTABLE);
process.stdout.write(`${archive}\n`);

/** A copy of this Node.js that runs the bundle and needs no other file. */
async function makeStandalonePlugin(): Promise<void> {
  const executable = path.join(folder, process.platform === "win32" ? `${EXECUTABLE}.exe` : EXECUTABLE);
  const temporary = mkdtempSync(path.join(tmpdir(), "plugin-"));
  const main = path.join(temporary, "plugin.cjs");
  const output = path.join(temporary, "plugin.blob");
  const options = path.join(temporary, "options.json");
  writeFileSync(path.join(folder, LICENSES), await bundlePlugin(main));
  writeFileSync(options, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, useCodeCache: true }));
  execFileSync(process.execPath, ["--experimental-sea-config", options], { stdio: ["ignore", "ignore", "inherit"] });
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  const isMac = process.platform === "darwin";
  if (isMac) execFileSync("codesign", ["--remove-signature", executable]);
  await inject(executable, "NODE_SEA_BLOB", readFileSync(output), {
    // Node.js looks for this text, which its documentation names.
    sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
    ...(isMac ? { machoSegmentName: "NODE_SEA" } : {}),
  });
  if (isMac) execFileSync("codesign", ["--sign", "-", executable]);
  rmSync(temporary, { recursive: true });
}
