import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readCommandLine } from "../../sdk/command/command-line.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

const [A, B, C] = ["0123456789abcdef01234567", "0123456789abcdef01234568", "c".repeat(24)];

function writeList(text: string): string {
  const list = path.join(temporaryFolder("check"), "projects.txt");
  writeFileSync(list, text);
  return list;
}

const NO_PROJECT = "Pass the id of a project with --project, or the file of a list of ids with --projects-from.";

function notAnId(quoted: string): string {
  return `--project needs the id of a project, 24 hexadecimal digits, not ${quoted}.`;
}

it.each([
  { args: [], says: NO_PROJECT },
  { args: ["--project", "myproject"], says: notAnId('"myproject"') },
  { args: ["-p", `${A}0`], says: notAnId(`"${A}0"`) },
  { args: ["--project", ""], says: notAnId('""') },
  { args: ["--project", "a\u202e"], says: notAnId('"a\uFFFD"') },
  { args: ["--project", "9".repeat(99)], says: notAnId(`"${"9".repeat(79)}…`) },
  { args: ["--project", A, "--stack", ""], says: "--stack needs the name of a stack." },
  { args: [A], says: `Unexpected argument '${A}'` },
  { args: ["--projects-from", "/none"], says: "The list of projects /none can't be read (ENOENT); name a text file." },
])("refuses $args in one sentence", async ({ args, says }) => {
  await expect(readCommandLine(args)).rejects.toThrow(says);
});

const LIST = `\uFEFF# the west\r\n${A}\r\n\r\n  ${B}  \r\n${A}\n  # the end\nzz`;

it.each<{ args: readonly string[]; list?: string; projectIds: readonly string[] }>([
  { args: ["--project", A.toUpperCase()], projectIds: [A.toUpperCase()] },
  { args: ["--project", B, "--project", A, "--project", B], projectIds: [B, A] },
  { args: ["--project", "123", "--project", B], projectIds: ["123", B] },
  { args: ["--project", "a\u001b[m", "--project", "9".repeat(81)], projectIds: ["a\uFFFD[m", `${"9".repeat(80)}…`] },
  { args: [], list: LIST, projectIds: [A, B, "zz"] },
  { args: ["--project", C], list: LIST, projectIds: [C, A, B, "zz"] },
  { args: [], list: "zz", projectIds: ["zz"] },
])("takes the projects of $args and the list $list", async ({ args, list, projectIds }) => {
  const listed = list === undefined ? [] : ["--projects-from", writeList(list)];
  expect((await readCommandLine([...args, ...listed])).projectIds).toEqual(projectIds);
});

it.each([
  { args: [], json: false, stack: undefined },
  { args: ["--json", "--stack", "dev"], json: true, stack: "dev" },
  { args: ["-s", "dev"], json: false, stack: "dev" },
])("takes json and stack of $args", async ({ args, json, stack }) => {
  expect(await readCommandLine(["-p", A, ...args])).toEqual({ json, stack, projectIds: [A] });
});
