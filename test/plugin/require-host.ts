import { existsSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "vitest";
import { type FoundPulumi, findPulumi } from "../deployment/find-pulumi.ts";

const found = findPulumi();

/** Returns the Pulumi CLI, or skips the test where there is none or it has no host or no converter for the language. */
export function requireHost(
  context: TestContext,
  language: string,
  kind: "language" | "converter" = "language",
): FoundPulumi {
  if ("reason" in found) return context.skip(`no Pulumi CLI: ${found.reason}`);
  const host = `pulumi-${kind}-${language}`;
  const isThere = found.path.split(path.delimiter).some((folder) => existsSync(path.join(folder, host)));
  return isThere ? found : context.skip(`no ${host} on the PATH`);
}
