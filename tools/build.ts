import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { EXECUTABLE, makePlugin } from "./archive/make-plugin.ts";
import { writeArchive } from "./archive/write-archive.ts";
import { rollUpDeclarations } from "./declarations/roll-up-declarations.ts";

// Makes dist/, all that the npm package contains of code. The sources are ES modules, and dist/ is CommonJS.

const root = path.resolve(import.meta.dirname, "..");
const dist = path.join(root, "dist");
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");

say("Compiling sdk/ to dist/ ...");
rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", "tools/tsconfig.build.json"], { cwd: root, stdio: "inherit" });
for (const name of globSync("**/*.js", { cwd: dist })) {
  const file = path.join(dist, name);
  // The compiler leaves the names that ES modules have for a file and its folder.
  const code = readFileSync(file, "utf8").replaceAll(/\bimport\.meta\.(dirname|filename)\b/g, "__$1");
  if (code.includes("import.meta")) throw new Error(`${name} has an import.meta that CommonJS does not have.`);
  writeFileSync(file, code);
}
writeFileSync(path.join(dist, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
say("Writing the type declarations ...");
rollUpDeclarations();

say("Packing the plugin for other languages ...");
// The archive of the plugin is for every system that has Node.js.
const folder = mkdtempSync(path.join(tmpdir(), "plugin-"));
await makePlugin(folder);
copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
writeArchive(path.join(dist, "plugin", `${EXECUTABLE}.tar.gz`), folder, EXECUTABLE);
rmSync(folder, { recursive: true });

/** On standard error, because npm pack prints on standard output what it has packed. */
function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
