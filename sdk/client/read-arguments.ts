import type { AgentKind } from "./agent-log-config-id.ts";

/** What to read. */
export interface ReadArguments {
  /** 24 hexadecimal digits in either case. */
  readonly projectId: string;
  /** `"monitoring"` or `"backup"`. */
  readonly agent: AgentKind;
  /** Asks the service to wrap its response. The result is the same. Default: false. */
  readonly envelope?: boolean | undefined;
  /** Asks the service to indent its response. The result is the same. Default: false. */
  readonly pretty?: boolean | undefined;
}
