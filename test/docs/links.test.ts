import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const pages = globSync(["*.md", "docs/*.md", "examples/**/*.md", "bench/*.md"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
});

it.for(pages)("%s links to what there is", (page) => {
  const text = readFileSync(path.join(root, page), "utf8");
  const targets = [...text.matchAll(/\]\(([^)#:]+)\)|(?:src|srcset)="([^":]+)"/g)].map(
    ([, link, image]) => link ?? image,
  );
  const missing = targets.filter((target = "") => !existsSync(path.resolve(root, path.dirname(page), target)));
  expect(missing).toEqual([]);
});

it("packs the pages and pictures that the README links to", () => {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(output);
  const packed = new Set(files.map((file) => file.path));
  const text = readFileSync(path.join(root, "README.md"), "utf8");
  const links = [...text.matchAll(/\]\(([\w./-]+)\)|(?:src|srcset)="([\w./-]+)"/g)].map(
    ([, link, image]) => link ?? image,
  );
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((link = "") => !packed.has(link))).toEqual([]);
});
