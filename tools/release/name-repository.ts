import { globSync, readFileSync, writeFileSync } from "node:fs";
import { generatedFiles } from "../schema/generated-files.ts";
import { packageIdentity } from "../schema/package-identity.ts";

// `node tools/release/name-repository.ts <owner>/<name>` writes the public repository on GitHub into package.json and the schema,
// and the names that the generated packages have with it into the pages and programs that use them.

const [, , place = ""] = process.argv;
if (/^[\w-]+\/[\w.-]+$/.test(place)) nameRepository(`https://github.com/${place}`);
else {
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
  const { names } = packageIdentity(manifest);
  const using = ["docs/*.md", "examples/go/*.go", "examples/java/src/**/*.java", "test/plugin/programs/go/*.go"];
  for (const file of globSync(using)) {
    const text = readFileSync(file, "utf8");
    const named = text.replaceAll(before.go, names.go).replaceAll(before.java, names.java);
    writeFileSync(file, named.replaceAll(before.csharp, names.csharp));
  }
  for (const [file, text] of Object.entries(generatedFiles(manifest))) writeFileSync(file, text);
}
