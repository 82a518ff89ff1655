import { readFileSync } from "node:fs";

// `node tools/release/check-release.ts <tag> <owner>/<repository>` refuses a release that npm or the engine would refuse, or that
// lacks what a maintainer sets by hand. Otherwise it prints the notes of the release, which are its section in CHANGELOG.md.

const [, , tag, repository] = process.argv;
const manifest: { version: string; repository?: { url?: string } } = JSON.parse(readFileSync("package.json", "utf8"));
const schema = readFileSync("tools/schema/schema.json", "utf8");
const { version } = manifest;
const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
const [heading = "", ...lines] = sections.find((section) => section.startsWith(`${version} (`))?.split("\n") ?? [];
const address = `git+https://github.com/${repository}.git`;
const archives = `"pluginDownloadURL": "github://api.github.com/${repository}"`;
const advice = 'run the command of "The first release" in CONTRIBUTING.md';

const problems = [
  tag !== `v${version}` && `The tag is ${tag}, but the version in package.json is ${version}; make them the same.`,
  !/ \(\d{4}-\d\d-\d\d\)$/.test(heading) &&
    `CHANGELOG.md lacks the release; write the heading "## ${version} (<year>-<month>-<day>)".`,
  manifest.repository?.url !== address && `npm refuses a provenance unless package.json names ${address}; ${advice}.`,
  !schema.includes(archives) && `The engine finds no archive unless the schema has ${archives}; ${advice}.`,
].filter((problem) => problem !== false);

for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length === 0) process.stdout.write(`${unwrapped(lines.join("\n"))}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** GitHub shows each end of a line in the notes of a release. */
function unwrapped(text: string): string {
  return text.trim().replaceAll(/(?<!\n)\n(?!\n|- ) */g, " ");
}
