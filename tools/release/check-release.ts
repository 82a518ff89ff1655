import { readFileSync } from "node:fs";

// `node tools/release/check-release.ts <tag> <owner>/<repository>` refuses a release that npm would refuse, or that lacks
// what a maintainer sets by hand.

const [, , tag, repository] = process.argv;
const manifest: { version: string; repository?: { url?: string } } = JSON.parse(readFileSync("package.json", "utf8"));
const { version } = manifest;
const changelog = readFileSync("CHANGELOG.md", "utf8").split("\n");
const heading = changelog.find((line) => line.startsWith(`## ${version} (`)) ?? "";
const address = `git+https://github.com/${repository}.git`;

// The script of the advice writes more than what is checked here.
const ADVICE = `run \`node tools/release/name-repository.ts ${repository}\``;
const problems = [
  tag !== `v${version}` && `The tag is ${tag}, but the version in package.json is ${version}; make them the same.`,
  !/ \(\d{4}-\d\d-\d\d\)$/.test(heading) &&
    `CHANGELOG.md lacks the release; write the heading "## ${version} (<year>-<month>-<day>)".`,
  manifest.repository?.url !== address && `npm refuses a provenance unless package.json names ${address}; ${ADVICE}.`,
].filter((problem) => problem !== false);

for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
