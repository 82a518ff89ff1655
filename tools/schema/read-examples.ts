import { readFileSync } from "node:fs";
import path from "node:path";
import { type SdkNames, sdkNames } from "./sdk-names.ts";

/**
 * Reads the examples of a resource or function, in all languages and in the form that the schema has.
 * @param file its name in `examples/`, where packages have the names that they have without a repository
 */
export function readExamples(file: string, names: SdkNames): string {
  const text = readFileSync(path.join(import.meta.dirname, "examples", file), "utf8").trim();
  const { csharp, go, java } = sdkNames(undefined);
  return text.replaceAll(csharp, names.csharp).replaceAll(go, names.go).replaceAll(java, names.java);
}

/** Returns the fence of the first example in a language. */
export function firstExample(examples: string, language: string): string {
  const [fence] = new RegExp(`^\`\`\`${language}\n.*?^\`\`\`$`, "ms").exec(examples) ?? [];
  if (fence === undefined) throw new Error(`there is no example in ${language}`);
  return fence;
}
