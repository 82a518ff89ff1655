import { z } from "zod";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import { type AgentLogConfigError, errorOf } from "../model/errors.ts";
import { parseArgument, strictObject, unlessMissing } from "../model/parse-argument.ts";
import { AGENTS, type AgentKind, type ReadArguments, readArgumentsSchema } from "../model/read-arguments.ts";

/** The arguments of {@link getAgentLogConfigs}. */
export interface GetAgentLogConfigsArgs {
  /** The ids of the projects, 24 hexadecimal digits each. For an empty list, the result is empty. */
  readonly projectIds: readonly string[];
  /** The agents to read of each project. Default: `"monitoring"` and `"backup"`. */
  readonly agents?: readonly AgentKind[] | undefined;
}

/** Why the settings of one agent of one project could not be read. */
export interface ReadFailure extends Pick<AgentLogConfigError, "code" | "message" | "temporary"> {
  /** The project's id as it was given. */
  readonly projectId: string;
  /** The agent whose settings are missing. */
  readonly agent: AgentKind;
}

/** The settings that could be read and the failures, each in the order in which they were asked for. */
export interface ReadManyResult<Result> {
  /** The settings that could be read, one entry for each agent of each project. */
  readonly configs: readonly Result[];
  /** Why the other settings could not be read, one entry for each failed read. */
  readonly failures: readonly ReadFailure[];
}

const LIST_RULE = "must be a list";
const { projectId, agent } = readArgumentsSchema.shape;

const argumentsSchema = strictObject({
  projectIds: z.array(projectId, { error: unlessMissing(LIST_RULE) }),
  agents: z.array(agent, LIST_RULE).optional(),
}) satisfies z.ZodType<GetAgentLogConfigsArgs>;

/**
 * Reads the settings of many projects at the same time. Each read is either among the settings or among the failures.
 * @param args {@link GetAgentLogConfigsArgs}, not checked yet
 * @param isSecret the arguments may have secrets
 * @throws AgentLogConfigError for arguments that are invalid, and the first failure if no read succeeds
 */
export async function readMany(
  read: (args: ReadArguments) => Promise<AgentLogConfigResult>,
  args: object,
  isSecret: boolean,
): Promise<ReadManyResult<AgentLogConfigResult>> {
  const { projectIds, agents = AGENTS } = parseArgument(argumentsSchema, args, "Nothing was read", { isSecret });
  const requests = projectIds.flatMap((projectId) => agents.map((agent) => ({ projectId, agent })));
  const outcomes = await Promise.allSettled(requests.map(read));
  const configs: AgentLogConfigResult[] = [];
  const failures: ReadFailure[] = [];
  for (const [index, request] of requests.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status === "fulfilled") configs.push(outcome.value);
    else {
      const { code, message, temporary } = errorOf(outcome?.reason);
      failures.push({ ...request, code, message, temporary });
    }
  }
  // If no read succeeds, the first failure counts for all.
  const [first] = outcomes;
  if (configs.length === 0 && first?.status === "rejected") throw first.reason;
  return { configs, failures };
}
