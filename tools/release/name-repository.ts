import { globSync, readFileSync, writeFileSync } from "node:fs";
import { packageIdentity, rename } from "../schema/package-identity.ts";

// `node tools/release/name-repository.ts <owner>/<name>` writes the public repository on GitHub into package.json and the schema,
// and the names that the generated packages have with it into the pages and programs that use them. It takes out of README how to
// install from a clone.

const [, , place = ""] = process.argv;
if (/^[\w-]+\/[\w.-]+$/.test(place)) {
  nameRepository(`https://github.com/${place}`);
  // It reads package.json when it is loaded.
  await import("../schema/write-schema.ts");
} else {
  process.stderr.write("Name the repository as <owner>/<name>, such as example/pulumi-agent-log-config.\n");
  process.exitCode = 2;
}

function nameRepository(address: string): void {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const { names: before } = packageIdentity(manifest);
  manifest.homepage = `${address}#readme`;
  manifest.repository = { type: "git", url: `git+${address}.git` };
  manifest.bugs = `${address}/issues`;
  writeFileSync("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
  const unreleased = /^Until the first release[\s\S]*?run this line instead:\n\n/m;
  writeFileSync("README.md", readFileSync("README.md", "utf8").replace(unreleased, ""));
  const { names } = packageIdentity(manifest);
  const using = ["docs/*.md", "examples/go/*.{go,md}", "examples/java/src/**/*.java", "test/plugin/programs/go/*.go"];
  for (const file of globSync(using)) writeFileSync(file, rename(readFileSync(file, "utf8"), before, names));
}
