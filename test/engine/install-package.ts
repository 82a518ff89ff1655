import { execFile } from "node:child_process";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder in whose node_modules the packed package is installed, beside what a Pulumi program needs. */
    installedPackage: string;
  }
}

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");

/** Installs the packed package once for all tests that run whole programs. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await installPackage();
  project.provide("installedPackage", folder);
  return () => rm(folder, { recursive: true, force: true });
}

/** Packs the package and installs the tarball, and what a program of `pulumi new typescript` needs, in a new folder. */
export async function installPackage(): Promise<string> {
  await access(path.join(root, "dist/index.js")).catch(() => {
    throw new Error("dist/ is missing: run `npm run build` first, or the tests by `npm test`.");
  });
  const folder = await mkdtemp(path.join(tmpdir(), "agent-log-config-"));
  const { stdout } = await npm(["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], root);
  const manifest: { devDependencies: Record<string, string> } = JSON.parse(
    await readFile(path.join(root, "package.json"), "utf8"),
  );
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ private: true }));
  const sdk = `@pulumi/pulumi@${manifest.devDependencies["@pulumi/pulumi"]}`;
  const packages = [`./${stdout.trim()}`, sdk, "typescript@5", "@types/node@18"];
  await npm(["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], folder);
  return folder;
}

function npm(args: readonly string[], directory: string): Promise<{ stdout: string }> {
  return run("npm", args, { cwd: directory, shell: process.platform === "win32" });
}
