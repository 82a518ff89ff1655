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
  const missing = linksIn(page).filter(({ file, anchor }) => {
    const target = path.resolve(root, path.dirname(page), file || path.basename(page));
    return !existsSync(target) || (anchor !== undefined && !anchorsIn(target).includes(anchor));
  });
  expect(missing).toEqual([]);
});

it.for(globSync("docs/[a-z]*.md", { cwd: root, exclude: ["docs/installation-configuration.md"] }))(
  "%s is linked from the README",
  (page) => {
    expect(linksIn("README.md").map(({ file }) => file)).toContain(page);
  },
);

it("packs what the packed pages link to", () => {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(output);
  const packed = files.map((file) => file.path);
  const linked = packed
    .filter((file) => file.endsWith(".md"))
    .flatMap((page) => linksIn(page).map(({ file }) => path.join(path.dirname(page), file || path.basename(page))));
  expect(linked.length).toBeGreaterThan(50);
  // A link to a folder leads to what is in it.
  expect(linked.filter((link) => !packed.some((file) => file === link || file.startsWith(`${link}/`)))).toEqual([]);
});

/** The relative links of a page, and its pictures. */
function linksIn(page: string): { file: string; anchor?: string }[] {
  const text = readFileSync(path.join(root, page), "utf8");
  const targets = text.matchAll(/\]\(([^):]+)\)|(?:src|srcset)="([^":]+)"/g);
  return Array.from(targets, ([, link, picture = ""]) => {
    const [file = "", anchor] = (link ?? picture).split("#");
    return anchor === undefined ? { file } : { file, anchor };
  });
}

/** What GitHub and npm make of headings, and the anchors that the page sets itself. */
function anchorsIn(file: string): string[] {
  const text = readFileSync(file, "utf8").replaceAll(/^```.*?^```$/gms, "");
  const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return [...headings, ...Array.from(text.matchAll(/<a id="(.*?)">/g), ([, id = ""]) => id)];
}
