import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { schemaPart } from "../tools/schema-part.ts";

const root = path.join(import.meta.dirname, "../..");

/** The schema as it is in the plugin. */
export const SCHEMA = { ...schemaPart(), version: manifest.version };

/** The README, the pages in docs/ and those of the examples in other languages, by their names. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  globSync(["README.md", "docs/*.md", "examples/{yaml,python,go}/README.md"], { cwd: root }).map((page) => [
    page,
    readFileSync(path.join(root, page), "utf8"),
  ]),
);

/** Returns the code of the schema's examples in a language. */
export function examplesIn(language: string): readonly string[] {
  const entities = [schemaPart("resources"), schemaPart("functions")];
  const texts: string[] = [];
  JSON.stringify(entities, (key, value: unknown) => {
    if (key === "description") texts.push(...fencesIn(String(value), language));
    return value;
  });
  return texts;
}

/** Returns the code of a page's fences in a language. */
export function fencesIn(page: string, language: string): readonly string[] {
  return Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms")), ([, code = ""]) => code);
}
