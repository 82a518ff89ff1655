import { copyFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import manifest from "../package.json" with { type: "json" };
import { runtimeError } from "../sdk/model/refuse-other-runtimes.ts";
import { IS_OLDER } from "./oldest-node.ts";

const root = path.resolve(import.meta.dirname, "..");

/**
 * Writes what `require` loads: Node.js 18 and the first versions of 20 would only say that they can't require an ES module.
 * Its declarations are those of `import` under a name that a compiler takes for CommonJS.
 */
export function writeRequireEntries(): void {
  for (const entry of Object.values(manifest.exports)) {
    if (typeof entry === "string" || !("require" in entry)) continue;
    const module = `./${path.basename(entry.import.default)}`;
    writeFileSync(path.join(root, entry.require.default), requireEntry(module));
    copyFileSync(path.join(root, entry.import.types), path.join(root, entry.require.types));
  }
}

function requireEntry(module: string): string {
  const message = JSON.stringify(runtimeError("Node.js VERSION").message);
  return `const { node } = process.versions;
const [major, minor] = node.split(".").map(Number);
if (${IS_OLDER}) {
  const error = new Error(${message}.replace("VERSION", node));
  // Pulumi prints such an error without a stack trace.
  throw Object.assign(error, { code: "ERR_RUNTIME", __pulumiRunError: true });
}
module.exports = require("${module}");
`;
}
