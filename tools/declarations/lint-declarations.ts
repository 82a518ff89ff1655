import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import ts from "typescript";
import manifest from "../../package.json" with { type: "json" };

// Fails where the declarations of an entry in dist/, or what they import, name any package beside these: a program's compiler
// would need its types as well.

const ALLOWED = /^(?:@pulumi\/pulumi|undici)(?:\/|$)/;
const root = path.resolve(import.meta.dirname, "../..");

const entries = Object.values(manifest.exports).flatMap((entry) => {
  if (typeof entry === "string") return [];
  return "types" in entry ? [entry.types] : [entry.import.types, entry.require.types];
});
const files = new Set(entries.map((entry) => path.join(root, entry)));
for (const file of files) {
  for (const { fileName } of ts.preProcessFile(readFileSync(file, "utf8")).importedFiles) {
    if (fileName.startsWith(".")) {
      files.add(path.resolve(path.dirname(file), fileName.replace(/js$/, "d.ts")));
    } else if (!isBuiltin(fileName) && !ALLOWED.test(fileName)) {
      process.stderr.write(`${path.relative(root, file)} imports ${fileName}, which programs do not have.\n`);
      process.exitCode = 1;
    }
  }
}
