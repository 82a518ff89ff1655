import { AgentLogConfigError } from "./errors.ts";

// Importing this file refuses other runtimes. It has to come before whatever loads undici, which fails there without a reason.
const { node, bun } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);
if (bun !== undefined || major < 22 || (major === 22 && minor < 19)) {
  const runtime = bun === undefined ? `Node.js ${node}` : `Bun ${bun}`;
  throw new AgentLogConfigError(
    "ERR_RUNTIME",
    `Reads need Node.js 22.19 or later, and this is ${runtime}; use that version.`,
  );
}
