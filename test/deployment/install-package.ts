import { execFile } from "node:child_process";
import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import manifest from "../../package.json" with { type: "json" };

declare module "vitest" {
  interface ProvidedContext {
    /** A folder in whose node_modules the packed package is installed, beside what a Pulumi program needs. */
    installedPackage: string;
  }
}

const root = path.resolve(import.meta.dirname, "../..");

/** Installs the packed package once for all tests that run whole programs. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const sdk = `@pulumi/pulumi@${manifest.devDependencies["@pulumi/pulumi"]}`;
  const folder = await installPackage([sdk, ...TEMPLATE_PACKAGES]);
  project.provide("installedPackage", folder);
  // A process that ends last may still write what it has compiled.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** What a program of `pulumi new typescript` needs beside the SDK. */
export const TEMPLATE_PACKAGES = ["typescript@5", "@types/node@18"];

/** Installs what npm packs of the package, and other packages, in a new folder. */
export async function installPackage(others: readonly string[]): Promise<string> {
  await access(path.join(root, "dist/index.js")).catch(() => {
    throw new Error("dist/ is missing: run `npm run build` first, or the tests by `npm test`.");
  });
  const folder = await mkdtemp(path.join(tmpdir(), "agent-log-config-"));
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ private: true }));
  const options = ["--install-links", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  const shell = process.platform === "win32";
  await promisify(execFile)("npm", ["install", ...options, root, ...others], { cwd: folder, shell });
  return folder;
}
