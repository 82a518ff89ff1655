import { spawnSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { temporaryFolder } from "../deployment/temporary-folder.ts";

const root = path.resolve(import.meta.dirname, "../..");
const workflows = globSync("{,examples/*/}.github/workflows/*.yml", { cwd: root }).map((file) =>
  readFileSync(path.join(root, file), "utf8"),
);

it("names what a release lacks, until a maintainer has named the repository and dated the release", () => {
  const cwd = temporaryFolder("release");
  const run = (script: string, ...args: readonly string[]) => {
    const file = path.join(root, "tools/release", script);
    const { status, stderr } = spawnSync(process.execPath, [file, ...args], { cwd, encoding: "utf8" });
    return { status, said: stderr.split("\n").filter(Boolean) };
  };
  const write = (file: string, text: string) => writeFileSync(path.join(cwd, file), text);
  write("package.json", '{ "version": "1.2.3", "repository": { "url": "git+https://github.com/example/fork.git" } }');
  write("CHANGELOG.md", "## 1.2.3 (unreleased)\n");
  const lacking = [/tag is v1\.2\.4, but/, /lacks the release/, /names git\+https:\/\/\S+logs\.git;/];
  const said = lacking.map((sentence) => expect.stringMatching(sentence));
  expect(run("check-release.ts", "v1.2.4", "some-owner/agent-logs")).toEqual({ status: 1, said });

  const files = ["package.json", "README.md", "docs", "examples", "tools/schema", "test/plugin/programs"];
  for (const file of files) cpSync(path.join(root, file), path.join(cwd, file), { recursive: true });
  // A repository may be renamed.
  for (const name of ["someone/first", "some-owner/agent-logs"]) {
    expect(run("name-repository.ts", name)).toEqual({ status: 0, said: [] });
  }
  write("CHANGELOG.md", `## ${manifest.version} (2026-11-22)\n`);
  expect(run("check-release.ts", `v${manifest.version}`, "some-owner/agent-logs")).toEqual({ status: 0, said: [] });
  const read = (file: string) => readFileSync(path.join(cwd, file), "utf8");
  for (const file of [
    "examples/go/main.go",
    "test/plugin/programs/go/main.go",
    "docs/_index.md",
    "examples/go/README.md",
  ]) {
    expect(read(file)).toContain('"github.com/some-owner/agent-logs/sdk/go/agentlogconfig"');
  }
  expect(read("examples/java/src/main/java/agentlogs/App.java")).toContain(
    "import io.github.some_owner.agentlogconfig.",
  );
  expect(read("tools/schema/schema.json")).toContain('"github://api.github.com/some-owner/agent-logs"');
  expect(run("name-repository.ts", "https://github.com/a/b").status).toBe(2);
});

it("builds with the Node.js that the tests run on, and with actions that are pinned by commit", () => {
  expect(workflows.join()).toContain(`NODE_VERSION: ${manifest.devDependencies.node} `);
  const used = workflows.flatMap((text) => text.match(/(?<=uses: )[^.].*/g) ?? []);
  expect(used.filter((action) => !/^[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  expect(new Set(used).size).toBe(new Set(used.map((action) => action.split("@")[0])).size);
});
