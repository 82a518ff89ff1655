import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { listen } from "../servers/listen.ts";
import { jobsBefore, ROOT, readWorkflow, type Step } from "./workflow.ts";

const REPOSITORY = "example/settings";
const LEFT_OUT = new Set([".git", "node_modules", "dist", "dist-plugin", "coverage"]);

/** Where a job runs, and where jobs leave what others take. */
interface Runner {
  readonly cwd: string;
  readonly artifacts: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a step as a runner does, and returns what it prints. */
async function runStep({ uses = "", run, with: options = {} }: Step, { cwd, artifacts, env }: Runner): Promise<string> {
  const [action] = uses.split("@");
  if (run === "npm ci --ignore-scripts") symlinkSync(path.join(ROOT, "node_modules"), path.join(cwd, "node_modules"));
  else if (run !== undefined) {
    const added = run.startsWith("npm publish ") ? { npm_config_dry_run: "true" } : {};
    const shell = ["-eo", "pipefail", "-c", `${run} 2>&1`];
    return (await promisify(execFile)("bash", shell, { cwd, env: { ...env, ...added } })).stdout;
  } else if (action === "actions/checkout") checkOut(cwd);
  else if (action === "actions/upload-artifact") {
    for (const file of globSync(String(options["path"]), { cwd })) {
      cpSync(path.join(cwd, file), path.join(artifacts, String(options["name"]), path.basename(file)));
    }
  } else if (action === "actions/download-artifact") {
    for (const found of globSync(String(options["pattern"] ?? options["name"] ?? "*"), { cwd: artifacts })) {
      cpSync(path.join(artifacts, found), cwd, { recursive: true });
    }
  }
  return "";
}

/** Copies the repository, with what a maintainer sets before the first release. */
function checkOut(folder: string): void {
  cpSync(ROOT, folder, { recursive: true, filter: (file) => !LEFT_OUT.has(path.relative(ROOT, file)) });
  execFileSync(process.execPath, [path.join(ROOT, "tools/release/name-repository.ts"), REPOSITORY], { cwd: folder });
  const changelog = readFileSync(path.join(ROOT, "CHANGELOG.md"), "utf8");
  writeFileSync(path.join(folder, "CHANGELOG.md"), changelog.replace("(unreleased)", "(2026-11-22)"));
}

it("builds everything and publishes it last", { timeout: 300_000 }, async (context) => {
  if (process.platform !== "linux") context.skip("the jobs that publish are for Linux");
  const registry = createServer((_, response) => response.writeHead(404).end("{}"));
  const folder = temporaryFolder("release");
  const [bin, artifacts] = [path.join(folder, "bin"), path.join(folder, "artifacts")];
  mkdirSync(bin);
  writeFileSync(path.join(bin, "gh"), '#!/bin/sh\necho "gh $*"\n', { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: [bin, path.dirname(process.execPath), process.env["PATH"]].join(path.delimiter),
    GITHUB_REF_NAME: `v${manifest.version}`,
    GITHUB_REPOSITORY: REPOSITORY,
    npm_config_registry: `http://127.0.0.1:${await listen(registry)}`,
  };
  const { jobs } = readWorkflow("release.yml");
  let printed = "";
  for (const name of [...jobsBefore(jobs, "attach"), "attach"]) {
    const cwd = path.join(folder, "jobs", name);
    mkdirSync(cwd, { recursive: true });
    for (const step of jobs[name]?.steps ?? []) printed += await runStep(step, { cwd, artifacts, env });
  }

  const archive = `pulumi-resource-agent-log-config-v${manifest.version}-linux-${process.arch === "x64" ? "amd64" : process.arch}.tar.gz`;
  const published = printed.indexOf(`+ pulumi-agent-log-config@${manifest.version}`);
  expect(published, printed).toBeGreaterThan(0);
  expect(printed.slice(published)).toMatch(`gh release create v${manifest.version} `);
  expect(printed).toContain(` ${archive} SHA256SUMS\n`);
  const attached = path.join(folder, "jobs", "attach");
  const run = (file: string, ...args: readonly string[]) =>
    execFileSync(file, args, { cwd: attached, encoding: "utf8" });
  expect(run("sha256sum", "--check", "SHA256SUMS")).toBe(`${archive}: OK\n`);

  // It lists what it takes out.
  expect(run("tar", "-xvvzf", archive)).toMatch(/^-rwxr-xr-x .* pulumi-resource-agent-log-config$/m);
  const plugin = spawn(path.join(attached, "pulumi-resource-agent-log-config"), ["127.0.0.1:1"], { env: {} });
  const [line] = await once(plugin.stdout, "data");
  plugin.stdin.end();
  expect(String(line)).toMatch(/^\d+\n$/);
});
