import { z } from "zod";
import { AGENTS, type AgentKind } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { type AgentLogConfigErrorCode, CODES } from "../client/errors.ts";
import { parseArgument, strictObject } from "../client/parse-argument.ts";
import { MAX_REQUESTS } from "../client/request-queue.ts";
import { mapAtOnce } from "./at-once.ts";
import { problemOf } from "./reading.ts";

/** The arguments of {@link getAgentLogConfigs}. */
export interface GetAgentLogConfigsArgs {
  /** The ids of the projects, 24 hexadecimal digits each; for an empty list the result is empty. */
  readonly projectIds: readonly string[];
  /** The agents to read of each project. Default: `"monitoring"` and `"backup"`. */
  readonly agents?: readonly AgentKind[] | undefined;
}

/** Why the settings of one agent of one project could not be read. */
export interface ReadFailure {
  /** The project's id as it was given. */
  readonly projectId: string;
  /** The agent as it was given. */
  readonly agent: string;
  /** What went wrong. A code stays the same when the wording of its message changes. */
  readonly code: AgentLogConfigErrorCode;
  /** One sentence that says what failed, why, and what to do. */
  readonly message: string;
  /** True for an outage: the same read may succeed later although nobody has changed anything. */
  readonly temporary: boolean;
}

/** The settings that could be read and the failures, each in the order in which they were asked for. */
export interface ReadManyResult<Result> {
  /** The settings of each agent of each project that could be read. */
  readonly configs: readonly Result[];
  /** Why the others could not be read. */
  readonly failures: readonly ReadFailure[];
}

/** One agent of one project, as it was given. */
export interface AskedRead {
  readonly projectId: string;
  readonly agent: AgentKind;
}

const LIST = "must be a list";

/** The kinds of the lists. Their elements are checked one by one, because a malformed one is a failure of its own. */
export const projectLists = strictObject({
  projectIds: z.array(z.custom<string>(), LIST),
  agents: z.array(z.custom<AgentKind>(), LIST).optional(),
});

/**
 * Reads the settings of many projects, 16 at a time, and each of them once. A read that fails is returned with its reason.
 * @param read reads one agent of one project
 * @param args {@link GetAgentLogConfigsArgs}, not checked yet
 * @throws AgentLogConfigError where every read fails for the same reason, such as a wrong key
 */
export async function readMany(
  read: (args: AskedRead) => Promise<AgentLogConfigResult>,
  args: object,
): Promise<ReadManyResult<AgentLogConfigResult>> {
  return readEach(read, readsOf(parseArgument(projectLists, args, "Nothing was read")));
}

/** Reads as {@link readMany} does what is asked for. */
export async function readEach(
  read: (args: AskedRead) => Promise<AgentLogConfigResult>,
  asked: readonly AskedRead[],
): Promise<ReadManyResult<AgentLogConfigResult>> {
  const configs = new Map<string, AgentLogConfigResult>();
  const failures = new Map<string, ReadFailure>();
  let hopeless: unknown;
  const unique = new Map(asked.map((each) => [keyOf(each), each]));
  await mapAtOnce(unique, MAX_REQUESTS, async ([key, each]) => {
    if (hopeless !== undefined && configs.size === 0) return;
    try {
      configs.set(key, await read(each));
    } catch (error) {
      const { projectId, agent } = each;
      const problem = problemOf(error);
      failures.set(key, { projectId: String(projectId), agent: String(agent), ...problem });
      if (CODES[problem.code].everyRead) hopeless ??= error;
    }
  });
  if (hopeless !== undefined && configs.size === 0) throw hopeless;
  const inOrder = <Found>(found: ReadonlyMap<string, Found>) => asked.flatMap((each) => found.get(keyOf(each)) ?? []);
  return { configs: inOrder(configs), failures: inOrder(failures) };
}

/** Returns the reads that are asked for, each agent of each project. */
export function readsOf({ projectIds, agents = [...AGENTS] }: z.infer<typeof projectLists>): readonly AskedRead[] {
  return projectIds.flatMap((projectId) => agents.map((agent) => ({ projectId, agent })));
}

function keyOf({ projectId, agent }: AskedRead): string {
  return JSON.stringify([projectId, agent]);
}
