import { z } from "zod";
import type { AgentLogSettings } from "./agent-log-settings.ts";
import { describeIssues } from "./describe-issues.ts";
import { AgentLogConfigError } from "./errors.ts";
import { isObject } from "./is-object.ts";

const absent = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

const text = z.string().nullish().transform(absent);
// Sizes come as 1000.0 and, from some clients' hands, as "1000".
const numeric = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^-?\d+(\.\d+)?$/)
        .transform(Number)
        // Enough digits make infinity.
        .pipe(z.number()),
    ],
    "must be a number",
  )
  .nullish()
  .transform(absent);

const logRotate = z
  .object({
    sizeThresholdMB: numeric,
    timeThresholdHrs: numeric,
    // The field table of the contract, section 2.1, spells it so, its examples the other way.
    timeDurationHrs: numeric,
    numUncompressed: numeric,
    percentOfDiskspace: numeric,
    numTotal: numeric,
  })
  .transform(
    ({ sizeThresholdMB, timeThresholdHrs, timeDurationHrs, numUncompressed, percentOfDiskspace, numTotal }) => ({
      sizeThresholdMB,
      timeThresholdHrs: timeThresholdHrs ?? timeDurationHrs,
      numUncompressed,
      percentOfDiskspace,
      numTotal,
    }),
  );

/** Deeper than any real value, and not so deep that what walks it later runs out of stack. */
const MAX_DEPTH = 100;

const overrides = z
  .record(z.string(), z.unknown())
  .refine((value) => !isDeeperThan(MAX_DEPTH, value), `must not be nested deeper than ${MAX_DEPTH} levels`)
  .transform((value) => Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutProto(inner)])));

// What is not named here is dropped, credentials (password, sslPEMKeyPwd, kerberosWindowsPassword) among it.
const schema = z
  .object({
    logPath: text,
    logPathWindows: text,
    logRotate: logRotate.nullish().transform(absent),
    username: text,
    configOverrides: overrides.nullish().transform(absent),
  })
  // Every key is there, also for what is absent: only then does Pulumi lift the result's properties.
  .transform(({ logPath, logPathWindows, logRotate, username, configOverrides }) => ({
    logPath,
    logPathWindows,
    logRotate,
    username,
    configOverrides,
  }));

/**
 * Reads the body of a successful answer (contract, section 2.1).
 * @throws {@link AgentLogConfigError} `ERR_INVALID_RESPONSE` with the path, never the value, of what is wrong
 */
export function decodeAgentLogSettings(body: unknown, failure: string): AgentLogSettings {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  throw new AgentLogConfigError("ERR_INVALID_RESPONSE", `${failure}: in its answer ${describeIssues(error.issues)}.`);
}

function isDeeperThan(levels: number, value: unknown): boolean {
  return isObject(value) && (levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner)));
}

/** JSON may have a key of that name, and whoever copies the value key by key would set its prototype. */
function withoutProto(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map(withoutProto);
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutProto(inner)]));
}
