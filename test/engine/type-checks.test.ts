import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { makeProgramFolder, TEMPLATE_OPTIONS } from "../deployment/open-program.ts";
import { fencesIn, PAGES } from "../plugin/examples-in.ts";

it("type-checks every program in what pulumi new typescript makes", async (context) => {
  const { directory } = await makeProgramFolder(context, "every-entry");
  const programs = path.join(import.meta.dirname, "programs");
  await cp(programs, directory, { recursive: true });
  const files = await readdir(programs);
  await writeFile(path.join(directory, "tsconfig.all.json"), JSON.stringify({ extends: "./tsconfig.json", files }));
  const compiler = path.join(inject("installedPackage"), "node_modules/typescript/bin/tsc");
  const args = [compiler, "--noEmit", "--pretty", "false", "-p", "tsconfig.all.json"];
  const checked = await promisify(execFile)(process.execPath, args, { cwd: directory }).catch((error) => error);
  expect(checked.stdout).toBe("");
});

it("type-checks in a project without a compiler of its own, with the one that @pulumi/pulumi brings", async (context) => {
  const { directory } = await makeProgramFolder(context, "every-entry");
  const installed = inject("installedPackage");
  const [folder = ""] = globSync(path.join(installed, "node_modules/@pulumi/pulumi/vendor/typescript@*"));
  const ts: typeof import("typescript") = createRequire(import.meta.url)(path.join(folder, "typescript.js"));
  const [start = ""] = fencesIn(PAGES.get("README.md") ?? "", "ts");
  await writeFile(path.join(directory, "start.ts"), start);
  await writeFile(path.join(directory, "expecting.ts"), EXPECTING);
  const files = ["index.ts", "start.ts", "expecting.ts"].map((file) => path.join(directory, file));
  const { options } = ts.convertCompilerOptionsFromJson({ ...TEMPLATE_OPTIONS, types: [] }, directory);
  const program = ts.createProgram(files, options);
  const mistakes = files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  expect(mistakes.map(({ messageText }) => messageText)).toEqual([
    // The one mistake shows that the types are known.
    expect.stringMatching(/"other"' is not assignable/),
  ]);
});

it("type-checks a CommonJS program that requires every entry, with every declaration that it loads", async (context) => {
  const { directory } = await makeProgramFolder(context, "every-entry");
  const compilerOptions = { module: "node16", target: "es2022", strict: true, skipLibCheck: false, types: ["node"] };
  const write = (file: string, text: string) => writeFile(path.join(directory, file), text);
  await write("package.json", JSON.stringify({ type: "commonjs" }));
  await write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["expecting.ts"] }));
  await write("expecting.ts", EXPECTING);
  const compiler = path.join(inject("installedPackage"), "node_modules/typescript/bin/tsc");
  const args = [compiler, "--noEmit", "--pretty", "false"];
  const checked = await promisify(execFile)(process.execPath, args, { cwd: directory }).catch((error) => error);
  // The one mistake shows that the types are known.
  expect(checked.stdout).toMatch(/^expecting\.ts\(\d+,\d+\): error TS2322: Type '"other"' is not assignable[^\n]*\n$/);
});

it("declares everything at the same depth", async () => {
  const dist = path.join(inject("installedPackage"), "node_modules/pulumi-agent-log-config/dist");
  const files = globSync("**/*.d.ts", { cwd: dist });
  expect(files).toHaveLength(3);
  for (const file of files) expect(await readFile(path.join(dist, file), "utf8")).not.toMatch(/^ +(export )?declare /m);
});

const EXPECTING = `
import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, AgentLogConfigs, Provider } from "pulumi-agent-log-config";
import { AgentLogConfigClient, AgentLogConfigError } from "pulumi-agent-log-config/client";
import { startService } from "pulumi-agent-log-config/testing";
const expect = { logRotate: { sizeThresholdMB: { atMost: 1000 } }, notSet: ["logRotate.numTotal" as const] };
const provider = new Provider("west", { baseUrl: "https://example.com" });
const one = new AgentLogConfig("one", { projectId: "0123456789abcdef01234567", agent: "backup", expect }, { provider });
const all = new AgentLogConfigs("all", { projects: { orders: one.projectId }, whenUnavailable: "useRecorded" });
export const path: pulumi.Output<string | undefined> = all.configs["orders/backup"].logPath;
export const paths = all.configs.apply((configs) => Object.keys(configs).map((key) => configs[key].logPath));
export const read = (client: AgentLogConfigClient) => client.get({ projectId: "", agent: "backup" }).catch((error) => error instanceof AgentLogConfigError && error.code);
startService({}).then((service) => service.close());
new AgentLogConfig("wrong", { projectId: "", agent: "other" });
`;
