import path from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";

// Fails where the public face of dist/ is not that of the reports in api/; with --local it writes the reports instead.

const ENTRIES = { index: "index", client: "client/index", digest: "digest/index", testing: "testing/index" };
const root = path.join(import.meta.dirname, "../..");
const localBuild = process.argv.includes("--local");

const configurations = Object.entries(ENTRIES).map(([name, entry]) =>
  ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: path.join(root, `dist/${entry}.d.ts`),
      compiler: { tsconfigFilePath: path.join(root, "tsconfig.build.json") },
      apiReport: {
        enabled: true,
        reportFolder: path.join(root, "api"),
        reportTempFolder: path.join(root, "node_modules/.cache/api"),
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
