import { z } from "zod";
import { AGENTS } from "../client/agent-log-config-id.ts";
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

/** What comes of one read: settings, or why there are none. */
type Outcome = { readonly config: AgentLogConfigResult } | { readonly error: unknown; readonly failure: ReadFailure };

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
  const made = new Map<string, Promise<Outcome>>();
  const readOne = (asked: ReadArguments) => {
    const key = `${asked.projectId}/${asked.agent}`;
    return madeOnce(made, key, () => outcomeOf(read, asked));
  };
  const asked = projectIds.flatMap((projectId) => agents.map((agent) => ({ projectId, agent })));
  const outcomes = await Promise.all(asked.map(readOne));
  const configs = outcomes.flatMap((outcome) => ("config" in outcome ? outcome.config : []));
  const failed = outcomes.flatMap((outcome) => ("error" in outcome ? outcome : []));
  const [first] = failed;
  if (configs.length === 0 && first !== undefined) throw first.error;
  return { configs, failures: failed.map(({ failure }) => failure) };
}

async function outcomeOf(
  read: (args: ReadArguments) => Promise<AgentLogConfigResult>,
  asked: ReadArguments,
): Promise<Outcome> {
  try {
    return { config: await read(asked) };
  } catch (error) {
    const { code, message, temporary } = problemOf(error);
    return { error, failure: { ...asked, code, message, temporary } };
  }
}
