import { z } from "zod";
import { AGENTS, type AgentKind } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { CODES } from "../client/errors.ts";
import { parseArgument, strictObject } from "../client/parse-argument.ts";
import { MAX_REQUESTS } from "../client/request-queue.ts";
import { mapAtOnce } from "./at-once.ts";
import type { AskedRead, ReadFailure, ReadManyResult } from "./read-many-result.ts";
import { type Problem, problemOf } from "./reading.ts";

const LIST = "must be a list";

/** The kinds of the lists. Their elements are checked one by one, because a malformed one is a failure of its own. */
export const projectLists = strictObject({
  projectIds: z.array(z.custom<string>(), LIST),
  agents: z.array(z.custom<AgentKind>(), LIST).optional(),
});

/**
 * Reads the settings of many projects, 16 at a time, and each of them once. A read that fails is returned with its reason, so
 * that settings and failures together are what was asked for.
 * @param read reads one agent of one project
 * @param args {@link GetAgentLogConfigsArgs}, not checked yet
 * @throws AgentLogConfigError where every read fails for the same reason, which lies in the connection, such as a wrong key
 */
export async function readMany(
  read: (args: AskedRead) => Promise<AgentLogConfigResult>,
  args: object,
): Promise<ReadManyResult<AgentLogConfigResult>> {
  const asked = readsOf(parseArgument(projectLists, args, "Nothing was read"));
  const { configs, failures } = await readEach(read, asked);
  const [first, ...others] = failures;
  const isAlike = others.every(({ problem }) => problem.cause === first?.problem.cause);
  if (configs.length === 0 && first !== undefined && isAlike && CODES[first.problem.code].everyRead) throw first.error;
  return { configs, failures: failures.map(describeFailure) };
}

/** A read that failed. */
export interface FailedRead {
  readonly asked: AskedRead;
  readonly error: unknown;
  readonly problem: Problem;
}

/** Reads what is asked for, 16 reads at a time, and each of them once. The results and the failures are in the same order. */
export async function readEach(
  read: (args: AskedRead) => Promise<AgentLogConfigResult>,
  asked: readonly AskedRead[],
): Promise<{ readonly configs: readonly AgentLogConfigResult[]; readonly failures: readonly FailedRead[] }> {
  const configs = new Map<string, AgentLogConfigResult>();
  const failures = new Map<string, FailedRead>();
  const unique = new Map(asked.map((each) => [keyOf(each), each]));
  await mapAtOnce(unique, MAX_REQUESTS, async ([key, each]) => {
    try {
      configs.set(key, await read(each));
    } catch (error) {
      failures.set(key, { asked: each, error, problem: problemOf(error) });
    }
  });
  const inOrder = <Found>(found: ReadonlyMap<string, Found>) => asked.flatMap((each) => found.get(keyOf(each)) ?? []);
  return { configs: inOrder(configs), failures: inOrder(failures) };
}

function describeFailure({ asked: { projectId, agent }, problem }: FailedRead): ReadFailure {
  const { code, message, temporary } = problem;
  return { projectId: String(projectId), agent: String(agent), code, message, temporary };
}

/** Returns the reads that are asked for, each agent of each project. */
export function readsOf({ projectIds, agents = [...AGENTS] }: z.infer<typeof projectLists>): readonly AskedRead[] {
  return projectIds.flatMap((projectId) => agents.map((agent) => ({ projectId, agent })));
}

function keyOf({ projectId, agent }: AskedRead): string {
  return JSON.stringify([projectId, agent]);
}
