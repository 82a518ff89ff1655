import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/architecture.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("|"));

it("names only files and folders that there are", () => {
  const named = [...page.matchAll(/`((?:sdk|test|examples|bench)\/[\w./-]*)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

it.for(globSync("sdk/*/", { cwd: root }))("says what %s is for", (folder) => {
  expect(rows.filter((row) => row.startsWith(`| \`${folder}/\` |`))).toHaveLength(1);
});
