import { z } from "zod";
import type { AgentLogSettings, LogRotate } from "./agent-log-settings.ts";
import { maybe } from "./parse-argument.ts";

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
