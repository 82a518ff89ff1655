import { type AgentLogSettings, agentLogSettingsSchema, logRotateSchema } from "../model/agent-log-settings.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { describeIssues } from "../model/parse-argument.ts";
import { isPlainObject } from "../text/json.ts";

/**
 * Decodes the body of a successful response. The result has a member for every setting, because Pulumi lifts only those members of
 * an output that are there, and for every threshold that is set. All other fields are dropped, among them `password` and `sslPEMKeyPwd`.
 * @throws {@link AgentLogConfigError} `ERR_INVALID_RESPONSE` with the name of the setting that is wrong, never its value
 */
export function decodeAgentLogSettings(body: unknown, subject: string): AgentLogSettings {
  const { data, error } = agentLogSettingsSchema.safeParse(isPlainObject(body) ? withAllFields(body) : body);
  if (data === undefined) {
    const problem = describeIssues(error.issues, "the body");
    const says = `the response can't be used, because ${problem}; check baseUrl and the version of the service`;
    throw new AgentLogConfigError("ERR_INVALID_RESPONSE", says, { subject, status: 200 });
  }
  for (const [name, value] of Object.entries(data.logRotate))
    if (value === undefined) Reflect.deleteProperty(data.logRotate, name);
  return data;
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
