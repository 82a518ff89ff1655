import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { inject } from "postject";
import { bundlePlugin } from "./bundle.ts";

// Makes the archive that `pulumi plugin install resource agent-log-config <version> --file <archive>` takes.

const NAME = "pulumi-resource-agent-log-config";
const root = path.resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: { standalone: { type: "boolean", default: false }, out: { type: "string", default: "dist-plugin" } },
});
const out = path.resolve(root, values.out);
const folder = path.join(out, "files");
const { version }: { version: string } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const bundle = path.join(folder, "plugin.cjs");
await bundlePlugin(bundle);
if (values.standalone) await makeExecutable();
else writeLaunchers();
copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
const system = process.platform === "win32" ? "windows" : process.platform;
const architecture = process.arch === "x64" ? "amd64" : process.arch;
const archive = path.join(out, `${NAME}-v${version}-${system}-${architecture}.tar.gz`);
execFileSync("tar", ["-czf", archive, "-C", folder, "."]);
process.stdout.write(`${archive}\n`);

/** The engine starts a file of this name, and a `.cmd` on Windows. */
function writeLaunchers(): void {
  const launcher = [
    "#!/usr/bin/env node",
    "// Compiled code is kept beside this file, which saves a third of the start.",
    'require("node:module").enableCompileCache?.(require("node:path").join(__dirname, "compiled"));',
    'require("./plugin.cjs");',
    "",
  ];
  writeFileSync(path.join(folder, NAME), launcher.join("\n"), { mode: 0o755 });
  writeFileSync(path.join(folder, `${NAME}.cmd`), `@node "%~dp0${NAME}" %*\r\n`);
  // A package.json in a folder above could make an ES module of a file without an extension.
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
}

/** A copy of this Node.js that runs the bundle and needs no other file. */
async function makeExecutable(): Promise<void> {
  const executable = path.join(folder, process.platform === "win32" ? `${NAME}.exe` : NAME);
  const blob = path.join(out, "plugin.blob");
  const configuration = path.join(out, "standalone.json");
  const options = { main: bundle, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(configuration, JSON.stringify(options));
  execFileSync(process.execPath, ["--experimental-sea-config", configuration], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  const isMac = process.platform === "darwin";
  if (isMac) execFileSync("codesign", ["--remove-signature", executable]);
  await inject(executable, "NODE_SEA_BLOB", readFileSync(blob), {
    // Node.js looks for this text, which its documentation names.
    sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
    ...(isMac ? { machoSegmentName: "NODE_SEA" } : {}),
  });
  if (isMac) execFileSync("codesign", ["--sign", "-", executable]);
  for (const file of [bundle, blob, configuration]) rmSync(file);
}
