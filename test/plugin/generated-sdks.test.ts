import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { examplesIn, fencesIn, PAGES } from "./examples-in.ts";
import { GO_MODULE, generateSdk, linkGoSdk, linkPythonSdk, requirePython } from "./generate-sdk.ts";
import { runTool } from "./run-tool.ts";

const root = path.resolve(import.meta.dirname, "../..");
const pages = [...PAGES.values()].join("\n");
/** mypy does not judgeSettings the code of a package that is installed. */
const INSTALLED = ["--follow-imports=silent"];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sdks-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it("has examples that TypeScript compiles with the generated SDK", async (context) => {
  const sdk = await generateSdk(context, "nodejs", folder);
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction");
  const programs = await writePrograms("typescript", ".ts", [
    ...examplesIn("typescript"),
    ...fencesIn(pages, "typescript"),
  ]);
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
  const sdk = await generateSdk(context, "python", folder);
  await requirePython(context, ["mypy", "pulumi"]);
  const files = ["examples/python/__main__.py", "test/plugin/programs/python/__main__.py"];
  const whole = files.map((file) => readFileSync(path.join(root, file), "utf8"));
  const programs = await writePrograms("python", ".py", [
    ...examplesIn("python"),
    ...fencesIn(pages, "python"),
    ...whole,
  ]);
  const args = ["-m", "mypy", "--strict", ...INSTALLED, ...programs];
  const { stdout } = await runTool(context, folder, "python3", args, { MYPYPATH: sdk });
  expect(stdout).toBe(`Success: no issues found in ${programs.length} source files\n`);
});

it("has an example whose unit test in Python passes with the generated SDK", async (context) => {
  const env = await linkPythonSdk(context, folder);
  const example = path.join(root, "examples/python");
  await requirePython(context, ["mypy"]);
  const args = ["-m", "mypy", ...INSTALLED, path.join(example, "test_program.py")];
  const checked = await runTool(context, folder, "python3", args, { MYPYPATH: env.PYTHONPATH });
  expect(checked.stdout).toMatch(/^Success: no issues found /);
  const found = await runTool(context, example, "python3", ["-B", "-m", "unittest"], env);
  expect(found).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^Ran 3 tests /m) });
});

// Go compiles Pulumi's SDK once, which takes minutes.
it("has examples that Go compiles with the generated SDK", { timeout: 600_000 }, async (context) => {
  const directory = path.join(folder, "program");
  await cp(path.join(root, "examples/go"), directory, { recursive: true });
  for (const [index, code] of [...examplesIn("go"), ...fencesIn(pages, "go").map(goProgram)].entries()) {
    await mkdir(path.join(directory, `example${index}`));
    await writeFile(path.join(directory, `example${index}`, "main.go"), code);
  }
  const go = await linkGoSdk(context, directory, folder);
  expect(await go("vet", "./...")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  expect(await go("test", "./...")).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^ok /m) });

  /** Most pages show statements alone. */
  function goProgram(statements: string): string {
    if (statements.startsWith("package ")) return statements;
    return `package main
import (
  "${GO_MODULE}"
  "github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)
func main() {
  pulumi.Run(func(ctx *pulumi.Context) error {
${statements}
    ctx.Export("made", ${/^(\w+), err := /m.exec(statements)?.[1]}.URN())
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
