import { readFileSync } from "node:fs";
import path from "node:path";
import { isObject } from "../../sdk/text/json.ts";

/** The file with the schema of the plugin. */
export const SCHEMA_FILE = path.resolve(import.meta.dirname, "../../tools/schema/schema.json");

const schema: unknown = JSON.parse(readFileSync(SCHEMA_FILE, "utf8"));

/** Returns the object in the schema under these keys, or the schema itself. */
export function schemaPart(...keys: readonly string[]): Readonly<Record<string, unknown>> {
  const part = keys.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), schema);
  if (!isObject(part)) throw new Error(`the schema has no ${keys.join(".")}`);
  return part;
}
