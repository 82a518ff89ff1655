import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/architecture.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("|"));

/** The sections in the table's first cells, such as "7616, 3.5; 7615, 3". */
const known = new Set(
  rows.flatMap((row) => {
    const [cell = ""] = row.slice(2).split(" |");
    return cell.split("; ").flatMap((part) => {
      const [rfc, ...sections] = part.split(", ");
      return sections.map((section) => `${rfc}, ${section}`);
    });
  }),
);

it("names only files and folders that there are", () => {
  const named = [...page.matchAll(/`((?:sdk|test|examples|bench)\/[\w./-]*)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

it.for(globSync("sdk/*/", { cwd: root }))("says what %s is for", (folder) => {
  expect(rows.filter((row) => row.startsWith(`| \`${folder}/\` |`))).toHaveLength(1);
});

it.for(globSync("sdk/{client,digest}/*.ts", { cwd: root }))("knows each section of an RFC that %s names", (file) => {
  const text = readFileSync(path.join(root, file), "utf8");
  const named = [...text.matchAll(/RFC (\d+), sections? ([\d.]*\d(?:(?:, | and )[\d.]*\d)*)/g)];
  const sections = named.flatMap(([, rfc, list = ""]) => list.split(/, | and /).map((section) => `${rfc}, ${section}`));
  expect(sections.filter((section) => !known.has(section))).toEqual([]);
});
