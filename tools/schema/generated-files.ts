import { generateSchema } from "./generate-schema.ts";
import { type Manifest, packageIdentity } from "./package-identity.ts";
import { registryPages } from "./registry-pages.ts";

/**
 * Returns the texts of the files that the Pulumi Registry reads from the repository, by their places in it. The schema has no
 * version there: a release takes its tag.
 */
export function generatedFiles(manifest: Manifest): Readonly<Record<string, string>> {
  const schema = JSON.stringify({ ...generateSchema(manifest), version: undefined }, null, 2);
  return { "tools/schema/schema.json": `${schema}\n`, ...registryPages(packageIdentity(manifest)) };
}
