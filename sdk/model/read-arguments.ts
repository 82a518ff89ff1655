import { z } from "zod";
import { AGENTS, type AgentKind, PROJECT_ID } from "./agent-log-config-id.ts";
import { strictObject } from "./parse-argument.ts";

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

const ID = "must be 24 hexadecimal digits";

/** What the arguments of a read must be. */
export const readArgumentsSchema = strictObject({
  projectId: z
    .string({ error: ({ input }) => (typeof input === "number" ? `${ID} in quotes` : ID) })
    .regex(PROJECT_ID, ID),
  agent: z.enum(AGENTS, 'must be "monitoring" or "backup"'),
  envelope: z.boolean("must be a boolean").optional(),
  pretty: z.boolean("must be a boolean").optional(),
}) satisfies z.ZodType<ReadArguments>;
