import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { PAGES } from "../plugin/examples-in.ts";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");

// It installs the dependencies of the clone from the registry.
it("is installed from a clone by the lines of the README", { timeout: 900_000 }, async (context) => {
  const lines = /^ {4}(npm ci && npm pack .*)\n {4}(npm install .*)$/m.exec(PAGES.get("README.md") ?? "");
  const [, inClone = "", inProject = ""] = lines ?? context.skip("the repository has a name, and README no such lines");
  const folder = temporaryFolder("from-a-clone");
  const project = path.join(folder, "project");
  await mkdir(project);
  await writeFile(path.join(project, "package.json"), "{}");
  await run("git", ["clone", "--quiet", root, path.join(folder, "clone")]);
  const shell = (line: string, cwd: string) =>
    run("sh", ["-c", line.replace("~", folder)], { cwd, maxBuffer: 1 << 26 });
  await shell(inClone, path.join(folder, "clone"));
  await shell(inProject, project);
  await writeFile(path.join(project, "index.mjs"), 'export * from "pulumi-agent-log-config/client";');
  expect(await import(path.join(project, "index.mjs"))).toHaveProperty("AgentLogConfigClient");
});
