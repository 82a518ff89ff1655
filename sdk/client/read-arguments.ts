import { AGENTS, type Agent, PROJECT_ID } from "./agent-log-config-id.ts";
import { checkMembers, type Rules } from "./check-members.ts";

/** What to read. */
export interface ReadArguments {
  /** 24 hexadecimal digits in either case. */
  readonly projectId: string;
  /** `"monitoring"` or `"backup"`. */
  readonly agent: Agent;
  /** Asks the service to wrap its response. The result is the same. Default: false. */
  readonly envelope?: boolean | undefined;
  /** Asks the service to indent its response. The result is the same. Default: false. */
  readonly pretty?: boolean | undefined;
}

const isFlag = (value: unknown) => value === undefined || typeof value === "boolean";

const rules = (isShown: boolean): Rules<ReadArguments> => ({
  projectId: {
    fits: (value): value is string => typeof value === "string" && PROJECT_ID.test(value),
    says: "must be 24 hexadecimal digits",
    isShown,
  },
  agent: {
    fits: (value): value is Agent => AGENTS.some((agent) => agent === value),
    says: 'must be "monitoring" or "backup"',
    isShown,
  },
  envelope: { fits: isFlag, says: "must be a boolean", isShown },
  pretty: { fits: isFlag, says: "must be a boolean", isShown },
});

const RULES = rules(true);
const SECRET_RULES = rules(false);

/**
 * @param quote whether the message may show the values
 * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` that names every argument that is wrong
 */
export function checkReadArguments(args: unknown, quote = true): ReadArguments {
  checkMembers(args, quote ? RULES : SECRET_RULES, "Nothing was read");
  return args;
}
