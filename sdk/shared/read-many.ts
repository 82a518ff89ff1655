import { AGENTS, type AgentKind } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { type AgentLogConfigErrorCode, invalidArgument } from "../client/errors.ts";
import { printable } from "../client/printable.ts";
import { checkReadArguments } from "../client/read-arguments.ts";
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

/** As many reads at a time as a client has connections: the time limit of a read would include its wait for one. */
const READS_AT_A_TIME = 16;

/**
 * Reads the settings of many projects, 16 at a time, and each of them once. A read that fails is an entry of `failures`.
 * @param read reads one agent of one project
 * @param args {@link GetAgentLogConfigsArgs}, not checked yet
 * @param quoteArguments whether a message may quote the arguments; false where they are secret
 * @throws AgentLogConfigError where the connection itself does not work, so that nothing can be read
 */
export async function readMany(
  read: (args: { readonly projectId: string; readonly agent: AgentKind }) => Promise<AgentLogConfigResult>,
  args: object,
  quoteArguments = true,
): Promise<ReadManyResult<AgentLogConfigResult>> {
  const { projectIds, agents } = checkArguments(args);
  const asked = projectIds.flatMap((projectId) => agents.map((agent) => ({ projectId, agent })));
  const waiting = new Map(asked.map((args) => [keyOf(args), args]));
  const results = new Map<string, AgentLogConfigResult>();
  const failures = new Map<string, ReadFailure>();
  let brokenConnection: unknown;
  const readNext = async (): Promise<void> => {
    for (const [key, args] of waiting) {
      waiting.delete(key);
      try {
        checkReadArguments(args, quoteArguments);
      } catch (error) {
        failures.set(key, failureOf(error, args));
        continue;
      }
      try {
        results.set(key, await read(args));
      } catch (error) {
        const failure = failureOf(error, args);
        failures.set(key, failure);
        if (CONNECTION_CODES.has(failure.code)) brokenConnection ??= error;
      }
      // A wrong key that is sent again and again may be blocked.
      if (brokenConnection !== undefined && results.size === 0) return;
    }
  };
  await Promise.all(Array.from({ length: READS_AT_A_TIME }, readNext));
  if (brokenConnection !== undefined && results.size === 0) throw brokenConnection;
  const inOrder = <Found>(found: ReadonlyMap<string, Found>) => asked.flatMap((args) => found.get(keyOf(args)) ?? []);
  return { configs: inOrder(results), failures: inOrder(failures) };
}

function checkArguments(args: object): {
  readonly projectIds: readonly string[];
  readonly agents: readonly AgentKind[];
} {
  const { projectIds, agents = AGENTS, ...others }: { projectIds?: unknown; agents?: unknown } = args;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw invalidArgument(
      `Nothing was read: unknown names: ${printable(unknown, 80)}; the valid ones are projectIds, agents.`,
    );
  }
  if (!isList<string>(projectIds)) throw invalidArgument("Nothing was read: projectIds must be a list.");
  if (!isList<AgentKind>(agents)) throw invalidArgument("Nothing was read: agents must be a list.");
  return { projectIds, agents };
}

/** The elements are checked one by one, because a malformed one is a failure of its own. */
function isList<Element>(value: unknown): value is readonly Element[] {
  return Array.isArray(value);
}

interface Entry {
  readonly projectId: string;
  readonly agent: AgentKind;
}

function keyOf({ projectId, agent }: Entry): string {
  return JSON.stringify([projectId, agent]);
}

function failureOf(error: unknown, { projectId, agent }: Entry): ReadFailure {
  const { code, reason, outage } = problemOf(error);
  return { projectId: String(projectId), agent: String(agent), code, message: reason, temporary: outage };
}

/**
 * Codes with which every project would fail. The arguments of a read are already checked, so that `ERR_INVALID_ARG_VALUE`
 * concerns the connection.
 */
const CONNECTION_CODES: ReadonlySet<AgentLogConfigErrorCode> = new Set([
  "ERR_INVALID_ARG_VALUE",
  "ERR_MISSING_SETTINGS",
  "ERR_WRONG_KEY",
  "ERR_AUTHENTICATION",
  "ERR_PROXY",
  "ERR_TLS",
  "ERR_MOCKED",
  "ERR_RUNTIME",
]);
