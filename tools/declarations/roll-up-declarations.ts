import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import ts from "typescript";

const root = path.resolve(import.meta.dirname, "../..");
const dist = path.join(root, "dist");
const cache = path.join(root, "node_modules/.cache/api");

/** Where the reports of the public face are written, one for each entry. */
export const WRITTEN_REPORTS = path.join(cache, "reports");

const ENTRIES = { index: "index", client: "client/index", testing: "testing/index" };
/** An import of what is neither a module of Node.js nor a package that every program with these declarations has. */
const OTHER_PACKAGE = /^import .* from '(?!node:|@pulumi\/pulumi['/]|undici')(.*)';$/m;

/**
 * Makes one declaration file of each entry in dist/, so that editors offer nothing else for import and no declaration names a
 * package that only the code needs. It also writes a report of each entry's public face.
 */
export function rollUpDeclarations(): void {
  const configurations = Object.entries(ENTRIES).map(([name, entry]) => configurationOf(name, entry));
  const [first, ...others] = configurations;
  if (first === undefined) throw new Error("There is no entry.");
  mkdirSync(WRITTEN_REPORTS, { recursive: true });
  const additionalEntryPoints = others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
  const compilerState = CompilerState.create(first, { additionalEntryPoints });
  for (const configuration of configurations) {
    const { succeeded } = Extractor.invoke(configuration, { localBuild: true, compilerState, messageCallback });
    if (!succeeded) throw new Error("The declarations have the problems that are named above.");
  }
  for (const file of globSync("**/*.d.ts", { cwd: dist })) rmSync(path.join(dist, file));
  for (const entry of Object.values(ENTRIES)) {
    const text = readFileSync(path.join(cache, `${entry}.d.ts`), "utf8");
    const [, other] = OTHER_PACKAGE.exec(text) ?? [];
    if (other !== undefined) throw new Error(`${entry}.d.ts imports ${other}, which a program's compiler can't find.`);
    const readable = formatted(withoutTemplates(path.join(cache, `${entry}.d.ts`), text));
    writeFileSync(path.join(dist, `${entry}.d.ts`), readable);
  }
}

/** Writes out the names that a type makes of others: TypeScript 3.8, which @pulumi/pulumi contains, can't read such a type. */
function withoutTemplates(file: string, text: string): string {
  const program = ts.createProgram([file], { skipLibCheck: true });
  const checker = program.getTypeChecker();
  const templates: { readonly node: ts.Node; readonly names: string }[] = [];
  const visit = (node: ts.Node): void => {
    node.forEachChild(visit);
    if (!ts.isTemplateLiteralTypeNode(node)) return;
    const names = checker.typeToString(checker.getTypeFromTypeNode(node), undefined, ts.TypeFormatFlags.NoTruncation);
    templates.push({ node, names });
  };
  for (const source of program.getSourceFiles()) if (source.fileName === file) visit(source);
  return templates.reduceRight(
    (before, { node, names }) => before.slice(0, node.getStart()) + names + before.slice(node.end),
    text,
  );
}

/** After some doc comments api-extractor indents everything that follows deeper than before. */
function formatted(text: string): string {
  const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  const args = [biome, "format", "--stdin-file-path", "index.d.ts"];
  return execFileSync(process.execPath, args, { cwd: root, input: text, encoding: "utf8" });
}

function configurationOf(name: string, entry: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: path.join(dist, `${entry}.d.ts`),
      compiler: { tsconfigFilePath: path.join(root, "tools/tsconfig.build.json") },
      dtsRollup: { enabled: true, untrimmedFilePath: path.join(cache, `${entry}.d.ts`) },
      apiReport: {
        enabled: true,
        reportFolder: WRITTEN_REPORTS,
        reportTempFolder: cache,
        reportFileName: name,
      },
      newlineKind: "lf",
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          "ae-missing-release-tag": { logLevel: ExtractorLogLevel.None },
          "ae-undocumented": { logLevel: ExtractorLogLevel.Error },
          // What one entry only mentions another one exports; the report says so.
          "ae-forgotten-export": { logLevel: ExtractorLogLevel.Error, addToApiReportFile: true },
        },
        tsdocMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          "tsdoc-param-tag-missing-hyphen": { logLevel: ExtractorLogLevel.None },
        },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(root, "package.json"),
  });
}

function messageCallback(message: { readonly messageId: string; handled: boolean }): void {
  const expected = ["console-preamble", "console-api-report-copied", "console-api-report-created"];
  if (expected.includes(message.messageId)) message.handled = true;
}
