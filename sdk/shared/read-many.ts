import { z } from "zod";
import { AGENTS, idOf } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult, ReadArguments } from "../client/agent-log-config-result.ts";
import { parseArgument, strictObject } from "../client/parse-argument.ts";
import { readArgumentsSchema } from "../client/schemas.ts";
import { madeOnce } from "./made-once.ts";
import type { ReadFailure, ReadManyResult } from "./read-many-result.ts";
import { problemOf } from "./reading.ts";

const LIST = "must be a list";
const { projectId, agent } = readArgumentsSchema.shape;

/** The kinds of the arguments. */
const argumentsSchema = strictObject({
  projectIds: z.array(projectId, LIST),
  agents: z.array(agent, LIST).optional(),
});

/**
 * Reads the settings of many projects at once, and each of them once. A read that fails beside others is returned with its reason,
 * so that settings and failures together are what was asked for.
 * @param read reads one agent of one project
 * @param args {@link GetAgentLogConfigsArgs}, not checked yet
 * @param isSecret the arguments may have secrets, so that no message may quote them
 * @throws AgentLogConfigError for arguments that can't work, and the first failure where no read succeeds
 */
export async function readMany(
  read: (args: ReadArguments) => Promise<AgentLogConfigResult>,
  args: object,
  isSecret = true,
): Promise<ReadManyResult<AgentLogConfigResult>> {
  const { projectIds, agents = AGENTS } = parseArgument(argumentsSchema, args, "Nothing was read", { isSecret });
  const asked = projectIds.flatMap((projectId) => agents.map((agent) => ({ projectId, agent })));
  const made = new Map<string, Promise<AgentLogConfigResult>>();
  const reads = asked.map((one) => ({ one, settings: madeOnce(made, idOf(one), () => read(one)) }));
  const configs: AgentLogConfigResult[] = [];
  const failures: ReadFailure[] = [];
  for (const { one, settings } of reads) {
    try {
      configs.push(await settings);
    } catch (error) {
      const { code, message, temporary } = problemOf(error);
      failures.push({ ...one, code, message, temporary });
    }
  }
  // Where no read succeeds, the first failure is that of all.
  if (configs.length === 0) await reads[0]?.settings;
  return { configs, failures };
}
