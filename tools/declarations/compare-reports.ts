import { copyFileSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { WRITTEN_REPORTS } from "./roll-up-declarations.ts";

// Fails where the public face that the last build has found differs from the reports in ../api; with --write it writes these.

const committed = path.resolve(import.meta.dirname, "../api");
for (const report of globSync("*.api.md", { cwd: WRITTEN_REPORTS })) {
  const [written, known] = [path.join(WRITTEN_REPORTS, report), path.join(committed, report)];
  if (process.argv.includes("--write")) copyFileSync(written, known);
  else if (readFileSync(written, "utf8") !== readFileSync(known, "utf8")) {
    process.stderr.write(`${report} has changed; look at what \`npm run api\` changes in tools/api/, and commit it.\n`);
    process.exitCode = 1;
  }
}
