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
