import { spawnSync } from "node:child_process";
import { cpSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { temporaryFolder } from "../deployment/temporary-folder.ts";

const root = path.resolve(import.meta.dirname, "../..");
const contributing = readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8");
const workflows = globSync("{,examples/*/}.github/workflows/*.yml", { cwd: root }).map((file) =>
  readFileSync(path.join(root, file), "utf8"),
);

it("names what a release lacks, until a maintainer has named the repository and dated the release", () => {
  const cwd = temporaryFolder("release");
  const run = (command: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
    return { status, stdout, problems: stderr.split("\n").filter(Boolean) };
  };
  const check = (...args: readonly string[]) =>
    run(process.execPath, path.join(root, "tools/release/check-release.ts"), ...args);
  const files = ["package.json", "README.md", "docs", "examples", "tools/schema", "test/plugin/programs"];
  for (const file of files) cpSync(path.join(root, file), path.join(cwd, file), { recursive: true });
  const changelog = (...lines: readonly string[]) => writeFileSync(path.join(cwd, "CHANGELOG.md"), lines.join("\n"));
  const read = (file: string) => readFileSync(path.join(cwd, file), "utf8");

  const { version } = manifest;
  changelog(`## ${version} (unreleased)`);
  const lacks = [/tag is v1\.2\.4, but/, /lacks the release/, /names git\+https:\/\/\S+logs\.git;/, /the schema has/];
  const problems = lacks.map((sentence) => expect.stringMatching(sentence));
  expect(check("v1.2.4", "some-owner/agent-logs")).toEqual({ status: 1, stdout: "", problems });

  const [, command = ""] = /^ {7}(export REPOSITORY=.*?)\n\n/ms.exec(contributing) ?? [];
  const named = command.replaceAll("\n       ", "\n").replace("<owner>/<name>", "some-owner/agent-logs");
  const script = named.replace("io.github.<owner>", "io.github.some_owner").replace("<Owner>", "SomeOwner");
  expect(run("bash", "-c", script)).toEqual({ status: 0, stdout: "", problems: [] });
  changelog(
    "# Changelog",
    "",
    `## ${version} (2026-11-22)`,
    "",
    "- A line",
    "  that goes on.",
    "- Another.",
    "",
    "## 0.0.1",
    "",
  );
  const notes = "- A line that goes on.\n- Another.\n";
  expect(check(`v${version}`, "some-owner/agent-logs")).toEqual({ status: 0, stdout: notes, problems: [] });
  expect(JSON.parse(read("tools/schema/schema.json"))).toMatchObject({
    repository: "https://github.com/some-owner/agent-logs",
    logoUrl: "https://raw.githubusercontent.com/some-owner/agent-logs/main/docs/logo.png",
    config: expect.anything(),
  });
  const texts = globSync(
    files.map((file) => `${file}{,/**/*.*}`),
    { cwd, exclude: ["**/node_modules"] },
  );
  const placeholder =
    /example\.com\/pulumi|com\.example[."]|Example\.Agent|"Example"|Until the first release|from a clone/;
  const left = texts.filter((file) => statSync(path.join(cwd, file)).isFile() && placeholder.test(read(file)));
  expect(left).toEqual([]);
  expect(read("README.md")).toMatch(/created:\n\n {4}npm install pulumi-agent-log-config\n\n### /);
});

it("builds with the Node.js that the tests run on, and with actions that are pinned by commit", () => {
  expect(workflows.join()).toContain(`NODE_VERSION: ${manifest.devDependencies.node} `);
  const used = workflows.flatMap((text) => text.match(/(?<=uses: )[^.].*/g) ?? []);
  expect(used.filter((action) => !/^[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  expect(new Set(used).size).toBe(new Set(used.map((action) => action.split("@")[0])).size);
});
