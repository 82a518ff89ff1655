import { type AgentLogSettings, type LogRotate, SETTINGS, THRESHOLDS } from "./agent-log-settings.ts";
import { AgentLogConfigError } from "./errors.ts";
import { isObject } from "./is-object.ts";

/**
 * Reads the body of a successful response. Every setting is a member of the result, because only then does Pulumi lift the
 * members of an output. Fields that are no settings are dropped, among them `password` and `sslPEMKeyPwd`.
 * @param failure how the message of an error begins
 * @throws {@link AgentLogConfigError} `ERR_INVALID_RESPONSE` with the path, never the value, of what is wrong
 */
export function decodeAgentLogSettings(body: unknown, failure: string): AgentLogSettings {
  try {
    return readSettings(readObject(body, "the body"), "");
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw new AgentLogConfigError("ERR_INVALID_RESPONSE", `${failure}: in the response ${error.message}.`);
  }
}

/** A value that is not of the kind that the tables say. */
class Mismatch extends Error {}

type JsonObject = Readonly<Record<string, unknown>>;

/** The type of each kind of setting. */
interface Kinds {
  readonly text: string;
  readonly number: number;
  readonly thresholds: LogRotate;
  readonly "secret map": JsonObject;
}

type Table = Readonly<Record<string, keyof Kinds>>;
type Decoded<T extends Table> = { readonly [K in keyof T]: Kinds[T[K]] | undefined };

const READERS: { readonly [K in keyof Kinds]: (value: unknown, path: string) => Kinds[K] } = {
  text: readText,
  number: readNumber,
  thresholds: (value, path) => readThresholds(readObject(value, path), `${path}.`),
  "secret map": (value, path) => copyObject(readObject(value, path), MAX_DEPTH, path),
};
const readSettings = fieldsReader(SETTINGS);
const readThresholds = fieldsReader(THRESHOLDS);

/** Services write the hours in one of these two ways. */
const OTHER_NAMES: Readonly<Record<string, string>> = { timeThresholdHrs: "timeDurationHrs" };

/** Returns a function that reads the fields of the table, each of which may be absent or null. */
function fieldsReader<T extends Table>(table: T): (source: JsonObject, path: string) => Decoded<T>;
function fieldsReader(table: Table): (source: JsonObject, path: string) => JsonObject {
  const fields = Object.entries(table).map(([name, kind]) => [name, READERS[kind]] as const);
  return (source, path) => {
    const result: Record<string, unknown> = {};
    for (const [name, read] of fields) {
      const field = source[name] == null ? (OTHER_NAMES[name] ?? name) : name;
      const value = source[field];
      result[name] = value == null ? undefined : read(value, path + field);
    }
    return result;
  };
}

function readText(value: unknown, path: string): string {
  if (typeof value === "string") return value;
  throw new Mismatch(`${path} must be a string`);
}

/** Services write sizes as 1000.0, and some clients store them as "1000". */
function readNumber(value: unknown, path: string): number {
  const number = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new Mismatch(`${path} must be a number`);
}

function readObject(value: unknown, path: string): JsonObject {
  if (isObject(value) && !Array.isArray(value)) return value;
  throw new Mismatch(`${path} must be an object`);
}

/** Deeper than any real value, and not so deep that code which walks the value later runs out of stack. */
const MAX_DEPTH = 100;

/** JSON may have a key `__proto__`, with which code that copies the value key by key would set a prototype. */
function copyObject(value: JsonObject, levels: number, path: string): JsonObject {
  if (levels === 0) throw new Mismatch(`${path} must not be nested deeper than ${MAX_DEPTH} levels`);
  const result: Record<string, unknown> = {};
  for (const key in value) if (key !== "__proto__") result[key] = copy(value[key], levels - 1, path);
  return result;
}

function copy(value: unknown, levels: number, path: string): unknown {
  if (!isObject(value)) return value;
  if (!Array.isArray(value)) return copyObject(value, levels, path);
  if (levels === 0) throw new Mismatch(`${path} must not be nested deeper than ${MAX_DEPTH} levels`);
  return value.map((inner) => copy(inner, levels - 1, path));
}
