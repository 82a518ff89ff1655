import type { Agent } from "./agent-log-config.ts";
import { invalidArgument } from "./errors.ts";

/**
 * The id of one agent's settings: `<projectId>/<agent>`. Nothing is checked.
 *
 * @param projectId 24 hexadecimal digits (contract, section 2.2)
 * @param agent `"monitoring"` or `"backup"`
 * @example
 * ```ts
 * import { agentLogConfigId } from "pulumi-agent-log-config/client";
 *
 * agentLogConfigId("0123456789abcdef01234567", "backup"); // "0123456789abcdef01234567/backup"
 * ```
 */
export function agentLogConfigId(projectId: string, agent: Agent): string {
  return `${projectId}/${agent}`;
}

/**
 * Reads an id of the form `<projectId>/<agent>`.
 *
 * @param id 24 hexadecimal digits in either case, a slash, and `monitoring` or `backup` in lower case
 * @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` for anything else
 * @example
 * ```ts
 * import { parseAgentLogConfigId } from "pulumi-agent-log-config/client";
 *
 * const { projectId, agent } = parseAgentLogConfigId("0123456789abcdef01234567/backup");
 * ```
 */
export function parseAgentLogConfigId(id: string): { readonly projectId: string; readonly agent: Agent } {
  const [, projectId, agent] = /^([0-9a-f]{24})\/(monitoring|backup)$/i.exec(id) ?? [];
  if (projectId === undefined || (agent !== "monitoring" && agent !== "backup")) {
    throw invalidArgument(
      `The id ${JSON.stringify(id)} is not of the form <projectId>/<agent>, such as 0123456789abcdef01234567/monitoring.`,
    );
  }
  return { projectId, agent };
}
