import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

const FILE = new URL("results.md", import.meta.url);

/** What results.md has, in its order: first what users feel. */
const HEADINGS = ["Previews", "Reads behind HTTP Digest"] as const;

/** Writes sections of results.md by their headings, and leaves the others as they are. */
export function writeResults(sections: Readonly<Partial<Record<(typeof HEADINGS)[number], string>>>): void {
  const parts = readFileSync(FILE, "utf8").split(/^## /m);
  const processor = cpus();
  const machine = `Node.js ${process.versions.node}, ${processor.length} × ${processor[0]?.model.trim() ?? "unknown processor"}`;
  const texts = HEADINGS.map((heading) => {
    const text = sections[heading];
    if (text !== undefined)
      return `${heading}\n\nOn ${new Date().toISOString().slice(0, 10)}, ${machine}. ${text.trim()}\n`;
    return parts
      .find((part) => part.startsWith(`${heading}\n`))
      ?.trimEnd()
      .concat("\n");
  });
  const found = texts.filter((text) => text !== undefined);
  writeFileSync(FILE, `# Measurements\n\n${found.map((text) => `## ${text}`).join("\n")}`);
}
