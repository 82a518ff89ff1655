import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { generatedFiles } from "./generated-files.ts";

// Writes the files that are generated and committed.

const root = path.resolve(import.meta.dirname, "../..");
const files = generatedFiles(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")));
for (const [place, text] of Object.entries(files)) writeFileSync(path.join(root, place), text);
