import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";

// Fails where the public face of dist/ differs from the reports in this folder; with --local it writes the reports instead.
// It also makes one declaration file of each entry, so that editors offer nothing else for import.

const ENTRIES = { index: "index", client: "client/index", digest: "digest/index", testing: "testing/index" };
/** Only the engine loads it, so that its declarations are empty. */
const ENGINE_ENTRY = "provider/dynamic-provider";
const root = path.join(import.meta.dirname, "..");
const dist = path.join(root, "dist");
const cache = path.join(root, "node_modules/.cache/api");
const localBuild = process.argv.includes("--local");

const configurations = Object.entries(ENTRIES).map(([name, entry]) =>
  ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: path.join(dist, `${entry}.d.ts`),
      compiler: { tsconfigFilePath: path.join(root, "tsconfig.build.json") },
      dtsRollup: { enabled: true, untrimmedFilePath: path.join(cache, `${entry}.d.ts`) },
      apiReport: {
        enabled: true,
        reportFolder: import.meta.dirname,
        reportTempFolder: cache,
        reportFileName: name,
      },
      newlineKind: "lf",
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          "ae-missing-release-tag": { logLevel: ExtractorLogLevel.None },
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
  }),
);
const additionalEntryPoints = configurations.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
const [first] = configurations;
if (first === undefined) throw new Error("There is no entry.");

// Once the declarations are one file each there is nothing more to report.
const isDone = globSync("**/*.d.ts", { cwd: dist }).length === Object.keys(ENTRIES).length + 1;
if (!isDone) {
  mkdirSync(cache, { recursive: true });
  const compilerState = CompilerState.create(first, { additionalEntryPoints });
  for (const configuration of configurations) {
    const { succeeded } = Extractor.invoke(configuration, {
      localBuild,
      compilerState,
      messageCallback: (message) => {
        if (message.messageId === "console-preamble") message.handled = true;
      },
    });
    if (!succeeded) process.exitCode = 1;
  }
  if (process.exitCode === 1) process.stderr.write("Look at what `npm run api` changes in api/, and commit it.\n");
  else replaceDeclarations();
}

function replaceDeclarations(): void {
  for (const file of globSync("**/*.d.ts", { cwd: dist })) rmSync(path.join(dist, file));
  for (const entry of Object.values(ENTRIES)) {
    writeFileSync(path.join(dist, `${entry}.d.ts`), readFileSync(path.join(cache, `${entry}.d.ts`)));
  }
  writeFileSync(path.join(dist, `${ENGINE_ENTRY}.d.ts`), "export {};\n");
}
