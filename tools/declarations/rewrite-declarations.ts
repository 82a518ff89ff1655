import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const dist = path.resolve(import.meta.dirname, "../../dist");

/**
 * Writes the declarations as TypeScript 3.8 reads them, which `@pulumi/pulumi` brings for programs without a compiler of their
 * own: it knows neither `type` inside braces nor imports of `.ts` files.
 */
export function rewriteDeclarations(): void {
  for (const name of globSync("**/*.d.ts", { cwd: dist })) {
    const file = path.join(dist, name);
    const text = readFileSync(file, "utf8");
    const named = text.replaceAll(/^(?:import|export) \{[^}]*\}/gm, (names) => names.replaceAll(/\btype /g, ""));
    writeFileSync(file, named.replaceAll(/((?:from |import |import\()"\.[^"]+)\.ts"/g, '$1.js"'));
  }
}
