import { z } from "zod";
import { AGENTS, PROJECT_ID } from "./agent-log-config-id.ts";
import type { ReadArguments } from "./agent-log-config-result.ts";
import type { AgentLogSettings, LogRotate } from "./agent-log-settings.ts";
import { maybe, strictObject } from "./parse-argument.ts";

const text = maybe(z.string("must be a string"));
const number = maybe(z.number("must be a number"));

/** The kind of each threshold. */
export const logRotateSchema = z.object(
  {
    sizeThresholdMB: number,
    timeThresholdHrs: number,
    numUncompressed: number,
    percentOfDiskspace: number,
    numTotal: number,
  },
  "must be an object",
) satisfies z.ZodType<LogRotate>;

/** The kind of each setting. */
export const agentLogSettingsSchema = z.object(
  {
    logPath: text,
    logPathWindows: text,
    logRotate: maybe(logRotateSchema),
    username: text,
    configOverrides: maybe(z.record(z.string(), z.unknown(), "must be an object")),
  },
  "the body must be an object",
) satisfies z.ZodType<AgentLogSettings>;

const ID = "must be 24 hexadecimal digits";

/** The kinds of the arguments of a read. */
export const readArgumentsSchema = strictObject({
  projectId: z
    .string({ error: ({ input }) => (typeof input === "number" ? `${ID} in quotes` : ID) })
    .regex(PROJECT_ID, ID),
  agent: z.enum(AGENTS, 'must be "monitoring" or "backup"'),
  envelope: z.boolean("must be a boolean").optional(),
  pretty: z.boolean("must be a boolean").optional(),
}) satisfies z.ZodType<ReadArguments>;
