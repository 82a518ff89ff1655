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
  const { devDependencies } = await readManifest();
  const sdk = `@pulumi/pulumi@${devDependencies["@pulumi/pulumi"]}`;
  const folder = await installPackage([sdk, ...TEMPLATE_PACKAGES]);
  project.provide("installedPackage", folder);
  // Programs load the same modules again and again.
  process.env["NODE_COMPILE_CACHE"] = path.join(folder, "compiled");
  return () => rm(folder, { recursive: true, force: true });
}

/** What a program of `pulumi new typescript` needs beside the SDK. */
export const TEMPLATE_PACKAGES = ["typescript@5", "@types/node@18"];

/** Packs the package, and installs the tarball and other packages in a new folder. */
export async function installPackage(others: readonly string[]): Promise<string> {
  await access(path.join(root, "dist/index.js")).catch(() => {
    throw new Error("dist/ is missing: run `npm run build` first, or the tests by `npm test`.");
  });
  const folder = await mkdtemp(path.join(tmpdir(), "agent-log-config-"));
  const { stdout } = await npm(["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], root);
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ private: true }));
  const packages = [`./${stdout.trim()}`, ...others];
  await npm(["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], folder);
  return folder;
}

async function readManifest(): Promise<{ devDependencies: Record<string, string> }> {
  return JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
}

function npm(args: readonly string[], directory: string): Promise<{ stdout: string }> {
  return run("npm", args, { cwd: directory, shell: process.platform === "win32" });
}
