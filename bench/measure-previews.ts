import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import path from "node:path";
import type { Deployment } from "../test/deployment/deployment.ts";
import { findPulumi } from "../test/deployment/find-pulumi.ts";
import { openDeployment } from "../test/deployment/open-deployment.ts";

/** Measures previews of programs in a folder, which it removes, with a Pulumi CLI. Without a CLI it only says so. */
export async function measurePreviews(
  makeFolder: () => Promise<string>,
  measure: (openPreview: OpenPreview, folder: string) => Promise<void>,
): Promise<void> {
  const pulumi = findPulumi();
  if ("reason" in pulumi) {
    process.stdout.write(`The previews need a Pulumi CLI: ${pulumi.reason}.\n`);
    return;
  }
  const folder = await makeFolder();
  const stacks: Deployment[] = [];
  try {
    const openPreview: OpenPreview = async (files, env, exitCode = 0) => {
      const directory = await mkdtemp(path.join(folder, "program-"));
      for (const [file, text] of Object.entries(files)) await writeFile(path.join(directory, file), text);
      const stack = await openDeployment({ directory, env, engine: "real" });
      stacks.push(stack);
      return async () => {
        const { text, ...run } = await stack.preview();
        if (run.exitCode !== exitCode) throw new Error(text);
      };
    };
    await measure(openPreview, folder);
  } finally {
    for (const stack of stacks) await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
  process.stdout.write(`Medians; Pulumi CLI ${pulumi.version}, Node.js ${process.version}, ${cpus().length} cores\n`);
}

/** Opens a stack of the program of these files, and returns what previews it. It has to end with the exit code, or with 0. */
export type OpenPreview = (
  files: Record<string, string>,
  env: Record<string, string>,
  exitCode?: number,
) => Promise<() => Promise<void>>;
