import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { inject, type TestContext } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/**
 * Copies an example out of the repository, as its page says, to a folder beside which the packed package is installed. What
 * else the example's package.json names comes from the repository. The copy is removed when the test ends.
 *
 * @param name of its folder in `examples/`
 * @returns the copy
 */
export async function copyExample(context: TestContext, name: string): Promise<string> {
  const installed = inject("installedPackage");
  const folder = await mkdtemp(path.join(installed, `${name}-`));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(path.join(root, "examples", name), folder, { recursive: true });
  for (const dependency of await dependenciesOf(folder)) {
    if (existsSync(path.join(installed, "node_modules", dependency))) continue;
    const link = path.join(folder, "node_modules", dependency);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(root, "node_modules", dependency), link, "junction");
  }
  return folder;
}

/** Returns the packages that the package.json of a folder names. */
export async function dependenciesOf(folder: string): Promise<string[]> {
  const manifest: { dependencies?: object; devDependencies?: object } = JSON.parse(
    await readFile(path.join(folder, "package.json"), "utf8"),
  );
  return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
}
