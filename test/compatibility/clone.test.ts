import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { PAGES } from "../plugin/examples-in.ts";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");

// It installs the dependencies of the clone from the registry.
it("is installed from a clone by the lines of the README", { timeout: 900_000 }, async (context) => {
  if ("repository" in manifest) context.skip("the repository has a name, so README installs a release");
  const folder = temporaryFolder("from-a-clone");
  const lines = Array.from(PAGES.get("README.md")?.matchAll(/^ *((?:npm|mkdir) .+)$/gm) ?? [], ([, line = ""]) =>
    line.replaceAll("~", folder),
  );
  const [packing = "", installation = ""] = ["npm pack ", ".tgz"].map((part) =>
    lines.find((line) => line.includes(part)),
  );
  expect([packing, installation]).toEqual([
    expect.stringContaining("--pack-destination"),
    expect.stringContaining("npm install"),
  ]);
  const [, destination = ""] = /--pack-destination (\S+)/.exec(packing) ?? [];
  const [archive = ""] = /\S+\.tgz/.exec(installation) ?? [];
  // A relative path of the archive leads from the project to it.
  const toProject = path.relative(path.dirname(archive), ".");
  const project = path.isAbsolute(archive) ? path.join(folder, "project") : path.resolve(destination, toProject);
  const clone = path.join(folder, "clone");
  await mkdir(project, { recursive: true });
  await writeFile(path.join(project, "package.json"), "{}");
  await run("git", ["clone", "--quiet", root, clone]);
  const shell = (line: string, cwd: string) => run("sh", ["-c", line], { cwd, maxBuffer: 1 << 26 });
  for (const line of [...lines.filter((line) => line.startsWith("mkdir ")), packing]) await shell(line, clone);
  await shell(installation, project);
  await writeFile(path.join(project, "index.mjs"), 'export * from "pulumi-agent-log-config/client";');
  expect(await import(path.join(project, "index.mjs"))).toHaveProperty("AgentLogConfigClient");
});
