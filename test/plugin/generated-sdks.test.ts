import { existsSync, globSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { type CommandResult, runCommand } from "../engine/run-command.ts";
import { runEnvironment } from "../engine/run-environment.ts";
import { examplesIn, fencesIn, SCHEMA } from "./examples-in.ts";
import { requireHost } from "./require-host.ts";

const root = path.resolve(import.meta.dirname, "../..");
const README = readFileSync(path.join(root, "README.md"), "utf8");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sdks-"));
  await writeFile(path.join(folder, "schema.json"), JSON.stringify(SCHEMA));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Generates the SDK of a language once, and returns its folder. */
async function generate(context: TestContext, language: "nodejs" | "python" | "go"): Promise<string> {
  const { command, path: PATH } = requireHost(context, language);
  const sdk = path.join(folder, language);
  if (existsSync(sdk)) return sdk;
  const args = ["package", "gen-sdk", "schema.json", "--language", language, "--out", folder];
  const env = { PATH, PULUMI_HOME: folder, PULUMI_SKIP_UPDATE_CHECK: "true" };
  expect(await run(context, folder, command, args, env)).toMatchObject({ exitCode: 0 });
  return sdk;
}

function run(
  { signal }: TestContext,
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const missing = { exitCode: -1, stdout: "", stderr: `there is no ${command}` };
  return runCommand(command, args, { cwd, env: runEnvironment(env), signal }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return missing;
  });
}

it.for([
  { language: "nodejs" as const, argument: "AgentLogConfigArgs.whenUnexpected", path: "LogRotateTimeThresholdHrs:" },
  { language: "python" as const, argument: "when_unexpected", path: "LOG_ROTATE_TIME_THRESHOLD_HRS =" },
  { language: "go" as const, argument: "WhenUnexpected", path: "ExpectedPathLogRotateTimeThresholdHrs " },
])("spells names as $language does", async ({ language, argument, path: constant }, context) => {
  const sdk = await generate(context, language);
  const files = globSync("**/*.{ts,py,go}", { cwd: sdk });
  const text = files.map((file) => readFileSync(path.join(sdk, file), "utf8")).join("\n");
  expect(text).toContain(`or causes a warning; see ${argument}.`);
  expect(text).toMatch(new RegExp(`${constant}.*"logRotate.timeThresholdHrs"`));
  expect(text).not.toContain("{{%");
});

it.for([
  ["nodejs", ""],
  ["python", "pulumi_agent_log_config"],
] as const)("has a page in the SDK for %s", async ([language, place], context) => {
  const page = readFileSync(path.join(await generate(context, language), place, "README.md"), "utf8");
  expect(page).toMatch(/^# Agent Log Config\n/);
  expect(fencesIn(page, language === "nodejs" ? "typescript" : language)).toHaveLength(1);
});

it("has examples that TypeScript compiles with the generated SDK", async (context) => {
  const sdk = await generate(context, "nodejs");
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction");
  const programs = await writePrograms("typescript", ".ts", examplesIn("typescript"));
  const program = ts.createProgram(programs, {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    types: ["node"],
    skipLibCheck: true,
    paths: { "pulumi-agent-log-config-sdk": [path.join(sdk, "index.ts")] },
  });
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([]);
});

it("has examples that mypy accepts with the generated SDK", async (context) => {
  const sdk = await generate(context, "python");
  const { exitCode, stderr } = await run(context, folder, "python3", ["-c", "import mypy, pulumi"]);
  if (exitCode !== 0) return context.skip(`no python3 with mypy and pulumi: ${stderr.trim().split("\n").at(-1)}`);
  const example = readFileSync(path.join(root, "examples/python/__main__.py"), "utf8");
  const programs = await writePrograms("python", ".py", [
    ...examplesIn("python"),
    ...fencesIn(README, "python"),
    example,
  ]);
  const args = ["-m", "mypy", "--strict", "--follow-imports=silent", ...programs];
  const { stdout } = await run(context, folder, "python3", args, { MYPYPATH: sdk });
  expect(stdout).toBe(`Success: no issues found in ${programs.length} source files\n`);
});

// Go compiles Pulumi's SDK once, which takes minutes.
it("has examples that Go compiles with the generated SDK", { timeout: 600_000 }, async (context) => {
  const sdk = path.join(await generate(context, "go"), "agentlogconfig");
  const module = /"importBasePath":"(.*?)"/.exec(JSON.stringify(SCHEMA))?.[1];
  await writeFile(path.join(sdk, "go.mod"), `module ${module}\n\ngo 1.24\n`);
  const directory = path.join(folder, "program");
  await cp(path.join(root, "examples/go"), directory, { recursive: true });
  const go = (...args: string[]) => run(context, directory, "go", args, { GOFLAGS: "-mod=mod" });
  const { exitCode, stderr } = await go("mod", "download", "github.com/pulumi/pulumi/sdk/v3");
  if (exitCode !== 0) return context.skip(`no Go with Pulumi's SDK: ${stderr.trim()}`);
  for (const [index, code] of [...examplesIn("go"), ...fencesIn(README, "go").map(goProgram)].entries()) {
    await mkdir(path.join(directory, `example${index}`));
    await writeFile(path.join(directory, `example${index}/main.go`), code);
  }
  await go("mod", "edit", `-require=${module}@v0.0.0`, `-replace=${module}=${sdk}`);
  expect(await go("mod", "tidy")).toMatchObject({ exitCode: 0 });
  expect(await go("vet", "./...")).toEqual({ exitCode: 0, stdout: "", stderr: "" });

  /** The README shows statements alone. */
  function goProgram(statements: string): string {
    return `package main
import (
  "${module}"
  "github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)
func main() {
  pulumi.Run(func(ctx *pulumi.Context) error {
${statements}
    ctx.Export("logPath", monitoring.LogPath)
    return err
  })
}
`;
  }
});

async function writePrograms(name: string, extension: string, programs: readonly string[]): Promise<string[]> {
  const files = programs.map((_, index) => path.join(folder, `${name}${index}${extension}`));
  await Promise.all(files.map((file, index) => writeFile(file, programs[index] ?? "")));
  return files;
}
