import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const sources = globSync("{sdk,test,tools,bench}/**/*.ts", { cwd: root });
const bareNames = new Set(sources.map((source) => path.basename(source)));

it("comments name only source files that there are", () => {
  const named = sources.flatMap((source) => {
    const comments = readFileSync(path.join(root, source), "utf8").match(/(?:^\s*\/?\*+|(?:^|\s)\/\/) .*/gm) ?? [];
    return Array.from(comments.join("\n").matchAll(/[\w./-]+\.ts\b/g), ([name]) => ({ source, name }));
  });
  expect(named.length).toBeGreaterThan(10);
  const isThere = (folder: string, name: string) => existsSync(path.join(root, folder, name));
  const missing = named.filter(({ source, name }) => !isThere(path.dirname(source), name) && !isThere("", name));
  expect(missing.filter(({ name }) => !bareNames.has(name))).toEqual([]);
});
