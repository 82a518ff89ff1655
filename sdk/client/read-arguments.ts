import { AGENTS, type AgentKind, PROJECT_ID } from "./agent-log-config-id.ts";
import { checkMembers, isFlag, type Rules } from "./check-members.ts";

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

const RULES: Rules<ReadArguments> = {
  projectId: [
    (value): value is string => typeof value === "string" && PROJECT_ID.test(value),
    "must be 24 hexadecimal digits",
  ],
  agent: [(value): value is AgentKind => AGENTS.some((agent) => agent === value), 'must be "monitoring" or "backup"'],
  envelope: [isFlag, "must be a boolean"],
  pretty: [isFlag, "must be a boolean"],
};

/**
 * @param quote whether the message may show the values
 * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` that names every argument that is wrong
 */
export function checkReadArguments(args: unknown, quote = true): ReadArguments {
  checkMembers(args, RULES, "Nothing was read", { isShown: () => quote });
  return args;
}
