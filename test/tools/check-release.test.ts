import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";

const SCRIPT = path.resolve(import.meta.dirname, "../../tools/release/check-release.ts");
const MANIFEST = {
  version: "1.2.3",
  repository: { type: "git", url: "git+https://github.com/example/settings.git" },
  bugs: "https://github.com/example/settings/issues",
};

const CHANGELOG = "# Changelog\n\n## 1.2.3 (2026-11-22)\n";

function check(manifest: object, changelog = CHANGELOG, tag = "v1.2.3", readme = "    npm install settings\n") {
  const cwd = mkdtempSync(path.join(tmpdir(), "release-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(path.join(cwd, "package.json"), JSON.stringify(manifest));
  writeFileSync(path.join(cwd, "CHANGELOG.md"), changelog);
  writeFileSync(path.join(cwd, "README.md"), readme);
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, tag, "example/settings"], { cwd, encoding: "utf8" });
  return { status, problems: stderr.trim() };
}

it("passes a release that has everything", () => {
  expect(check(MANIFEST)).toEqual({ status: 0, problems: "" });
});

const { bugs: _bugs, ...withoutBugs } = MANIFEST;

it.each<{ description: string; given: Parameters<typeof check>; says: string }>([
  {
    description: "the repository that the workflow runs in",
    given: [{ ...MANIFEST, repository: { url: "git+https://github.com/example/fork.git" } }],
    says: "git+https://github.com/example/settings.git; run `node tools/release/name-repository.ts example/settings`",
  },
  { description: "a place for defects", given: [withoutBugs], says: "where to report defects" },
  { description: "the version as its tag", given: [MANIFEST, undefined, "v1.2.4"], says: "The tag is v1.2.4" },
  {
    description: "a start that installs it from npm",
    given: [MANIFEST, undefined, undefined, "Install from a clone: `npm pack`.\n"],
    says: "how to install before there is a release; run `node tools/release/name-repository.ts example/settings`",
  },
  { description: "a date there", given: [MANIFEST, "## 1.2.3 (unreleased)\n"], says: "CHANGELOG.md lacks" },
])("refuses a release without $description", ({ given, says }) => {
  const { status, problems } = check(...given);
  expect(status).toBe(1);
  expect(problems).toContain(says);
  expect(problems).not.toContain("\n");
});

it("names everything that is missing at once", () => {
  expect(check({ version: "1.2.3" }, "").problems.split("\n")).toHaveLength(3);
});
