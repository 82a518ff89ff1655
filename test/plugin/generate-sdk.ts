import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, type TestContext } from "vitest";
import { SCHEMA } from "./examples-in.ts";
import { requireHost } from "./require-host.ts";
import { runTool } from "./run-tool.ts";

/** The name of the generated module for Go. */
export const GO_MODULE = /"importBasePath":"(.*?)"/.exec(JSON.stringify(SCHEMA))?.[1] ?? "";

/** Generates the SDK of a language once in this folder, and returns its own folder in it. */
export async function generateSdk(
  context: TestContext,
  language: "nodejs" | "python" | "go",
  folder: string,
): Promise<string> {
  const { command, path: PATH } = requireHost(context, language);
  const sdk = path.join(folder, language);
  if (existsSync(sdk)) return sdk;
  writeFileSync(path.join(folder, "schema.json"), JSON.stringify(SCHEMA));
  const args = ["package", "gen-sdk", "schema.json", "--language", language, "--out", folder];
  const env = { PATH, PULUMI_HOME: folder, PULUMI_SKIP_UPDATE_CHECK: "true" };
  expect(await runTool(context, folder, command, args, env)).toMatchObject({ exitCode: 0 });
  return sdk;
}

/**
 * Generates the SDK for Python as if it were installed, or skips the test where there is no Python with what it needs.
 * @returns the environment of a Python that finds it
 */
export async function linkPythonSdk(context: TestContext, folder: string): Promise<{ PYTHONPATH: string }> {
  await requirePython(context, ["pulumi", "parver"]);
  const sdk = await generateSdk(context, "python", folder);
  const metadata = path.join(sdk, "pulumi_agent_log_config.dist-info");
  mkdirSync(metadata, { recursive: true });
  writeFileSync(path.join(metadata, "METADATA"), `Name: pulumi_agent_log_config\nVersion: ${SCHEMA["version"]}\n`);
  return { PYTHONPATH: sdk };
}

/** Skips the test where there is no Python with these modules. */
export async function requirePython(context: TestContext, modules: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await runTool(context, ".", "python3", ["-c", `import ${modules.join(", ")}`]);
  if (exitCode !== 0) context.skip(`no python3 with ${modules.join(" and ")}: ${stderr.trim().split("\n").at(-1)}`);
}

/**
 * Lets a Go program use the generated SDK, or skips the test where there is no Go with Pulumi's SDK.
 * @returns what runs the `go` command in the program's folder
 */
export async function linkGoSdk(context: TestContext, directory: string, folder: string) {
  const sdk = path.join(await generateSdk(context, "go", folder), "agentlogconfig");
  writeFileSync(path.join(sdk, "go.mod"), `module ${GO_MODULE}\n\ngo 1.24\n`);
  const go = (...args: string[]) => runTool(context, directory, "go", args, { GOFLAGS: "-mod=mod" });
  const { exitCode, stderr } = await go("mod", "download", "github.com/pulumi/pulumi/sdk/v3");
  if (exitCode !== 0) context.skip(`no Go with Pulumi's SDK: ${stderr.trim()}`);
  await go("mod", "edit", `-require=${GO_MODULE}@v0.0.0`, `-replace=${GO_MODULE}=${sdk}`);
  expect(await go("mod", "tidy")).toMatchObject({ exitCode: 0 });
  return go;
}
