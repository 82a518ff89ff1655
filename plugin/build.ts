import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { EXECUTABLE, makePlugin } from "./make-plugin.ts";
import { rewriteDeclarations } from "./rewrite-declarations.ts";
import { writeArchive } from "./write-archive.ts";
import { writeRequireEntries } from "./write-require-entries.ts";

rewriteDeclarations();
writeRequireEntries();

// Makes the archive of the plugin that the npm package contains, for every system that has Node.js.

const root = path.resolve(import.meta.dirname, "..");
const folder = mkdtempSync(path.join(tmpdir(), "plugin-"));
await makePlugin(folder);
copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
writeArchive(path.join(root, "dist/plugin", `${EXECUTABLE}.tar.gz`), folder, EXECUTABLE);
rmSync(folder, { recursive: true });
