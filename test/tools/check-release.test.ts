import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

const SCRIPT = path.resolve(import.meta.dirname, "../../tools/release/check-release.ts");
const COMPLETE = {
  "package.json": JSON.stringify({
    version: "1.2.3",
    repository: { type: "git", url: "git+https://github.com/example/settings.git" },
    bugs: "https://github.com/example/settings/issues",
  }),
  "CHANGELOG.md": "# Changelog\n\n## 1.2.3 (2026-11-22)\n",
  "README.md": "    npm install settings\n",
};
const ADVICE = "; run `node tools/release/name-repository.ts example/settings`.";

it.each([
  { description: "a release that has everything", tag: "v1.2.3", files: COMPLETE, problems: [] },
  {
    description: "all that a release lacks",
    tag: "v1.2.4",
    files: {
      "package.json": '{ "version": "1.2.3", "repository": { "url": "git+https://github.com/example/fork.git" } }',
      "CHANGELOG.md": "## 1.2.3 (unreleased)\n",
      "README.md": "Install from a clone: `npm pack`.\n",
    },
    problems: [
      "The tag is v1.2.4, but the version in package.json is 1.2.3; make them the same.",
      'CHANGELOG.md lacks the release; write the heading "## 1.2.3 (<year>-<month>-<day>)".',
      `npm refuses a provenance unless package.json names git+https://github.com/example/settings.git${ADVICE}`,
      `README.md says how to install before there is a release${ADVICE}`,
      `package.json does not say where to report defects${ADVICE}`,
    ],
  },
])("judges $description", ({ tag, files, problems }) => {
  const cwd = temporaryFolder("release");
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(cwd, file), text);
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, tag, "example/settings"], { cwd, encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: problems.length === 0 ? 0 : 1,
    stderr: problems.map((problem) => `${problem}\n`).join(""),
  });
});
