import type { AgentKind } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigErrorCode } from "../client/errors.ts";

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
  /** The agent whose settings are missing. */
  readonly agent: AgentKind;
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
