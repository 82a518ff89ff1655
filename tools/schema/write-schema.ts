import { readFileSync, writeFileSync } from "node:fs";
import { generateSchema } from "./generate-schema.ts";

// Writes the schema that is committed. It has no version: the Pulumi Registry takes the tag of a release.

const schema = generateSchema(JSON.parse(readFileSync("package.json", "utf8")));
writeFileSync("tools/schema/schema.json", `${JSON.stringify({ ...schema, version: undefined }, null, 2)}\n`);
