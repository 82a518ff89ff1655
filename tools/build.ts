import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { EXECUTABLE, makePlugin } from "./archive/make-plugin.ts";
import { writeArchive } from "./archive/write-archive.ts";
import { rollUpDeclarations } from "./declarations/roll-up-declarations.ts";
import { writeRequireEntries } from "./write-require-entries.ts";

// Makes dist/, all that the npm package contains of code.

const root = path.resolve(import.meta.dirname, "..");
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");

rmSync(path.join(root, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", "tools/tsconfig.build.json"], { cwd: root, stdio: "inherit" });
rollUpDeclarations();
writeRequireEntries();

// The archive of the plugin is for every system that has Node.js.
const folder = mkdtempSync(path.join(tmpdir(), "plugin-"));
await makePlugin(folder);
copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
writeArchive(path.join(root, "dist/plugin", `${EXECUTABLE}.tar.gz`), folder, EXECUTABLE);
rmSync(folder, { recursive: true });
