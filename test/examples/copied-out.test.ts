import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, inject, it } from "vitest";
import { copyExample, dependenciesOf } from "./copy-example.ts";

const root = path.join(import.meta.dirname, "../..");
const examples = path.join(root, "examples");
// The others are the demo, which runs in the repository only, a page, and programs in other languages.
const names = readdirSync(examples).filter((name) => existsSync(path.join(examples, name, "package.json")));

it("type-check outside the repository, and name the packages that they import", {
  timeout: 300_000,
}, async (context) => {
  const folders = await Promise.all(names.map((name) => copyExample(context, name)));
  const files = folders.flatMap((folder) =>
    globSync("**/*.ts", { cwd: folder, exclude: ["node_modules/**"] }).map((file) => path.join(folder, file)),
  );
  expect(files.length).toBeGreaterThanOrEqual(names.length);
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [path.join(inject("installedPackage"), "node_modules/@types")],
  });
  const mistakes = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({
    file: file?.fileName,
    text: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
  expect(mistakes).toEqual([]);
  for (const [index, folder] of folders.entries()) {
    const named = await dependenciesOf(folder);
    const imported = importsIn(folder).filter((specifier) => !/^(\.|node:)/.test(specifier));
    const missing = imported.filter((specifier) => !named.some((name) => `${specifier}/`.startsWith(`${name}/`)));
    expect({ name: names[index], missing }).toEqual({ name: names[index], missing: [] });
  }
});

it.for(names)("%s asks for this version of the package", (name) => {
  const read = (file: string): { version: string; dependencies: Record<string, string> } =>
    JSON.parse(readFileSync(file, "utf8"));
  const { version } = read(path.join(root, "package.json"));
  const { dependencies } = read(path.join(examples, name, "package.json"));
  expect(dependencies["pulumi-agent-log-config"]).toBe(`^${version}`);
});

function importsIn(folder: string): string[] {
  const files = globSync("**/*.{ts,js}", { cwd: folder, exclude: ["node_modules/**"] });
  return files.flatMap((file) =>
    ts.preProcessFile(readFileSync(path.join(folder, file), "utf8")).importedFiles.map(({ fileName }) => fileName),
  );
}
