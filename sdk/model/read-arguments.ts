import { z } from "zod";
import { printable } from "../text/printable.ts";
import { invalidArgument } from "./errors.ts";
import { type ParseOptions, parseArgument, strictObject, unlessMissing } from "./parse-argument.ts";

/** An agent whose log settings the service has. */
export type AgentKind = "monitoring" | "backup";

export const AGENTS = ["monitoring", "backup"] as const satisfies readonly AgentKind[];

/** A project's id: 24 hexadecimal digits in either case. */
export const PROJECT_ID = /^[0-9a-f]{24}$/i;

/** What to read. */
export interface ReadArguments {
  /** The project's id, 24 hexadecimal digits in either case. */
  readonly projectId: string;
  /** The agent whose settings to read, `"monitoring"` or `"backup"`. */
  readonly agent: AgentKind;
  /** Asks the service to wrap its response. The result is the same. Default: false. */
  readonly envelope?: boolean | undefined;
  /** Asks the service to indent its response. The result is the same. Default: false. */
  readonly pretty?: boolean | undefined;
}

const ID_RULE = "must be 24 hexadecimal digits";

export const readArgumentsSchema = strictObject({
  projectId: z
    .string({
      error: (issue) => (typeof issue.input === "number" ? `${ID_RULE} in quotes` : unlessMissing(ID_RULE)(issue)),
    })
    .regex(PROJECT_ID, ID_RULE),
  agent: z.enum(AGENTS, { error: unlessMissing('must be "monitoring" or "backup"') }),
  envelope: z.boolean("must be a boolean").optional(),
  pretty: z.boolean("must be a boolean").optional(),
}) satisfies z.ZodType<ReadArguments>;

/** @throws AgentLogConfigError that names every argument that is wrong and what it must be */
export function parseReadArguments(args: unknown, options: Pick<ParseOptions, "isSecret">): ReadArguments {
  return parseArgument(readArgumentsSchema, args, "Nothing was read", options);
}

/**
 * Returns the id of one agent's settings, `<projectId>/<agent>`. The arguments are not checked.
 *
 * @param projectId 24 hexadecimal digits
 * @param agent `"monitoring"` or `"backup"`
 * @example
 * ```ts
 * import { agentLogConfigId } from "pulumi-agent-log-config/client";
 *
 * agentLogConfigId("0123456789abcdef01234567", "backup"); // "0123456789abcdef01234567/backup"
 * ```
 */
export function agentLogConfigId(projectId: string, agent: AgentKind): string {
  return idOf({ projectId, agent });
}

/** Which settings are meant, not checked. */
export interface AgentOfProject {
  readonly projectId?: unknown;
  readonly agent?: unknown;
}

/** Returns the id of an agent's settings. */
export function idOf({ projectId, agent }: AgentOfProject): string {
  return `${projectId}/${agent}`;
}

/**
 * Parses an id of the form `<projectId>/<agent>`.
 *
 * @param id 24 hexadecimal digits in either case, a slash, and `monitoring` or `backup` in lower case
 * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for any other string
 * @example
 * ```ts
 * import { parseAgentLogConfigId } from "pulumi-agent-log-config/client";
 *
 * const { projectId, agent } = parseAgentLogConfigId("0123456789abcdef01234567/backup");
 * ```
 */
export function parseAgentLogConfigId(id: string): { readonly projectId: string; readonly agent: AgentKind } {
  const [projectId = "", name, ...rest] = id.split("/");
  const agent = AGENTS.find((kind) => kind === name);
  if (agent !== undefined && rest.length === 0 && PROJECT_ID.test(projectId)) return { projectId, agent };
  const hasForm = name && rest.length === 0 && PROJECT_ID.test(projectId);
  const wrong = hasForm
    ? `names no agent; the agents are ${AGENTS.join(" and ")}`
    : "does not have the form <projectId>/<agent>, such as 0123456789abcdef01234567/monitoring";
  throw invalidArgument(`The id ${printable(JSON.stringify(id))} ${wrong}.`);
}
