import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { ROOT } from "./workflow.ts";

const SCRIPT = path.join(ROOT, "tools/release/name-repository.ts");

it("writes the repository and the names that belong to its owner wherever they are used", () => {
  const cwd = temporaryFolder("name");
  const folders = ["docs", "examples/go", "examples/java", "test/plugin/programs/go"];
  for (const place of ["package.json", "README.md", "tools/schema/schema.json", ...folders]) {
    cpSync(path.join(ROOT, place), path.join(cwd, place), { recursive: true });
  }
  const name = (repository: string) => spawnSync(process.execPath, [SCRIPT, repository], { cwd, encoding: "utf8" });
  // A repository may be renamed.
  expect([name("someone/first"), name("some-owner/agent-logs")].map(({ status }) => status)).toEqual([0, 0]);
  const read = (file: string) => readFileSync(path.join(cwd, file), "utf8");

  expect(JSON.parse(read("package.json"))).toMatchObject({
    homepage: "https://github.com/some-owner/agent-logs#readme",
    repository: { type: "git", url: "git+https://github.com/some-owner/agent-logs.git" },
    bugs: "https://github.com/some-owner/agent-logs/issues",
  });
  const go = '"github.com/some-owner/agent-logs/sdk/go/agentlogconfig"';
  for (const [file, text] of [
    ["examples/go/main.go", go],
    ["test/plugin/programs/go/main.go", go],
    ["docs/_index.md", go],
    ["docs/languages.md", go],
    ["tools/schema/schema.json", "using AgentLogConfig = SomeOwner.AgentLogConfig;"],
    ["examples/java/src/main/java/agentlogs/App.java", "import io.github.some_owner.agentlogconfig.AgentLogConfig;"],
    ["tools/schema/schema.json", "github://api.github.com/some-owner/agent-logs"],
  ] as const) {
    expect(read(file)).toContain(text);
  }
  const lines = readFileSync(path.join(ROOT, "README.md"), "utf8").split("\n");
  expect(read("README.md")).not.toContain("npm pack");
  expect(lines.length - read("README.md").split("\n").length).toBe(
    lines.some((line) => line.includes("npm pack")) ? 2 : 0,
  );
});

it("refuses what is not the name of a repository", () => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, "https://github.com/a/b"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^Name the repository as <owner>\/<name>/)]);
});
