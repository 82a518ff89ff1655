import { AgentLogConfigError } from "./model/errors.ts";

// An import of this file refuses other runtimes. Each entry imports it first, because the other modules fail there without a
// reason.
const { node, bun } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);
if (bun !== undefined || major < 22 || (major === 22 && minor < 19)) {
  throw runtimeError(bun === undefined ? `Node.js ${node}` : `Bun ${bun}`);
}

/** Says which runtime is needed instead of this one. */
export function runtimeError(runtime: string): AgentLogConfigError {
  return new AgentLogConfigError(
    "ERR_RUNTIME",
    `pulumi-agent-log-config needs Node.js 22.19 or later, but this is ${runtime}; put a later Node.js first on the PATH.`,
  );
}
