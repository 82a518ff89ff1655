import { type AgentLogSettings, agentLogSettingsSchema, logRotateSchema } from "../model/agent-log-settings.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { isObject, isPlainObject } from "../model/json.ts";
import { describeIssues } from "../model/parse-argument.ts";

/**
 * Reads the body of a successful response. Every setting is a member of the result, because only then does Pulumi lift the
 * members of an output, and so is each threshold that is set. Fields that are no settings are dropped, among them `password` and `sslPEMKeyPwd`.
 * @param subject what failed, for errors
 * @throws {@link AgentLogConfigError} `ERR_INVALID_RESPONSE` with the name of the setting that is wrong, never its value
 */
export function decodeAgentLogSettings(body: unknown, subject: string): AgentLogSettings {
  const settings = isPlainObject(body) ? withAllFields(body) : body;
  const { data, error } = agentLogSettingsSchema.safeParse(settings);
  // zod would drop the key __proto__ in silence, but a program that checks settings has to learn of it.
  const unusablePart = isObject(settings) ? findUnusable(settings["configOverrides"], MAX_DEPTH) : undefined;
  if (data !== undefined && unusablePart === undefined) {
    for (const [name, value] of Object.entries(data.logRotate))
      if (value === undefined) Reflect.deleteProperty(data.logRotate, name);
    return data;
  }
  const problem =
    unusablePart === undefined
      ? describeIssues(error?.issues ?? [], "the body")
      : `configOverrides must not ${unusablePart}`;
  const says = `the response can't be used, because ${problem}; check baseUrl and the version of the service`;
  const isSettingRefused = isPlainObject(body);
  throw new AgentLogConfigError("ERR_INVALID_RESPONSE", says, { subject, status: 200, isSettingRefused });
}

/** Returns the fields that are settings, each of them present. Services leave out what is not set, or send null, `""` or `{}`. */
export function withAllFields(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { logRotate = {}, configOverrides = {}, ...texts } = pick(agentLogSettingsSchema.shape, body);
  const settings = { ...texts, logRotate, configOverrides };
  if (!isPlainObject(logRotate)) return settings;
  const thresholds = pick(logRotateSchema.shape, logRotate);
  for (const name in thresholds) thresholds[name] = toNumber(thresholds[name]);
  for (const [name, other] of OTHER_NAMES) thresholds[name] ??= toNumber(logRotate[other] ?? undefined);
  return { ...settings, logRotate: thresholds };
}

function pick(names: object, source: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name in names) members[name] = source[name] === "" ? undefined : (source[name] ?? undefined);
  return members;
}

/** Thresholds that have another name, too, which counts if the first one is absent. */
const OTHER_NAMES = [
  ["timeThresholdHrs", "timeDurationHrs"],
  ["numUncompressed", "maxUncompressed"],
] as const;

/** Services write sizes as 1000.0, and some clients store them as "1000" or "1e3". A text without characters is absent. */
function toNumber(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (value.trim() === "") return undefined;
  // Number also takes hexadecimal and binary numbers.
  return /^[\s\d.e+-]+$/i.test(value) && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** The most levels of a value. Real values have fewer, and with so few, code that walks the value does not run out of stack. */
const MAX_DEPTH = 100;

/** Says why no program could use a value, such as one with a key that would set a prototype when it is copied. */
function findUnusable(value: unknown, levels: number): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return "have a number beyond the limits of JSON";
  if (!isObject(value)) return undefined;
  if (levels === 0) return `be nested deeper than ${MAX_DEPTH} levels`;
  for (const key of Object.keys(value)) {
    if (key === "__proto__") return "have the key __proto__";
    const unusablePart = findUnusable(value[key], levels - 1);
    if (unusablePart !== undefined) return unusablePart;
  }
  return undefined;
}
