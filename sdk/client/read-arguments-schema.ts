import { z } from "zod";
import { AGENTS, PROJECT_ID } from "./agent-log-config-id.ts";
import { strictObject } from "./parse-argument.ts";
import type { ReadArguments } from "./read-arguments.ts";

const ID = "must be 24 hexadecimal digits";

/** The kinds of the arguments of a read. */
export const readArgumentsSchema = strictObject({
  projectId: z
    .string({ error: ({ input }) => (typeof input === "number" ? `${ID} in quotes, not a number` : ID) })
    .regex(PROJECT_ID, ID),
  agent: z.enum(AGENTS, 'must be "monitoring" or "backup"'),
  envelope: z.boolean("must be a boolean").optional(),
  pretty: z.boolean("must be a boolean").optional(),
}) satisfies z.ZodType<ReadArguments>;
