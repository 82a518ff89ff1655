import { z } from "zod";
import { AGENTS, type Agent, PROJECT_ID } from "./agent-log-config-id.ts";
import { describeIssues } from "./describe-issues.ts";
import { invalidArgument } from "./errors.ts";

/** What to read. */
export interface ReadArguments {
  /** 24 hexadecimal digits (contract, section 2.2). */
  readonly projectId: string;
  /** `"monitoring"` or `"backup"` (contract, section 4). */
  readonly agent: Agent;
  /** Asks the service to wrap its answer (contract, section 4.4). The result is the same. Default: false. */
  readonly envelope?: boolean | undefined;
  /** Asks the service to print its answer for people (contract, section 4.4). The result is the same. Default: false. */
  readonly pretty?: boolean | undefined;
}

const schema = z.strictObject({
  projectId: z.string().regex(PROJECT_ID, "must be 24 hexadecimal digits"),
  agent: z.enum(AGENTS, 'must be "monitoring" or "backup"'),
  envelope: z.boolean().optional(),
  pretty: z.boolean().optional(),
});

/**
 * @param quote whether the message may show the values
 * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` that names every argument that is wrong, and its value
 */
export function checkReadArguments(args: unknown, quote = true): ReadArguments {
  const { success, data, error } = schema.safeParse(args);
  if (!success)
    throw invalidArgument(
      `Nothing was read: ${describeIssues(error.issues, Object.keys(schema.shape), quote ? args : undefined)}.`,
    );
  return data;
}
