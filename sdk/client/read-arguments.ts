import type { AgentKind } from "./agent-log-config-id.ts";

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
