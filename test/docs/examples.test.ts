import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

interface Example {
  /** The file that it is in, and the line. */
  readonly place: string;
  readonly code: string;
}

const root = path.join(import.meta.dirname, "../..");
const examples = globSync(["README.md", "docs/[a-z]*.md", "examples/**/README.md", "sdk/**/*.ts"], {
  cwd: root,
}).flatMap(examplesIn);
const fileOf = new Map(
  examples.map((example, index) => [example, path.join(import.meta.dirname, `example-${index}.ts`)]),
);

const virtualFiles = new Map(Array.from(fileOf, ([{ code }, file]) => [file, code] as const));
const entries = ["index", "client/index", "testing/index"].map((entry) => path.join(root, `dist/${entry}.d.ts`));
const program = compile();

it.for(examples)("compiles the example at $place", (example) => {
  const source = program.getSourceFile(fileOf.get(example) ?? "");
  const mistakes = ts.getPreEmitDiagnostics(program, source).map(({ messageText }) => messageText);
  expect(source?.text).toBe(example.code);
  expect(mistakes).toEqual([]);
});

it.for(entries)("has an example for every function and class of %s", (entry) => {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  const symbols = exported.map((symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  );
  const runnable = symbols.filter(({ flags }) => flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class));
  const withExample = runnable.filter((symbol) => symbol.getJsDocTags().some(({ name }) => name === "example"));
  expect(runnable.length).toBeGreaterThan(0);
  expect(withExample.map(({ name }) => name)).toEqual(runnable.map(({ name }) => name));
});

/** The fences of a page or of doc comments; what is no whole program says "ts fragment", which does not show. */
function examplesIn(file: string): Example[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const fences = text.matchAll(
    /^(?<margin>[ \t]*(?:\* )?)```(?:ts|typescript)\b(?! fragment$).*?\n(?<body>.*?)^\k<margin>```$/gms,
  );
  return Array.from(fences, ({ index, groups: { margin = "", body = "" } = {} }) => ({
    place: `${file}:${text.slice(0, index).split("\n").length}`,
    code: margin.includes("*") ? body.replaceAll(/^[ \t]*\* ?/gm, "") : body,
  }));
}

function compile(): ts.Program {
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
  const { options: own } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const options = { ...own, noUnusedLocals: false, moduleDetection: ts.ModuleDetectionKind.Force };
  const host = ts.createCompilerHost(options);
  const onDisk = { fileExists: host.fileExists, readFile: host.readFile };
  host.fileExists = (file) => virtualFiles.has(file) || onDisk.fileExists(file);
  host.readFile = (file) => virtualFiles.get(file) ?? onDisk.readFile(file);
  return ts.createProgram([...virtualFiles.keys(), ...entries], options, host);
}
