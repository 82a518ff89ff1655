export function isObject(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return typeof value === "object" && value !== null;
}

/** An object that is no list. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

/** A value as JSON has it: no member of it is undefined. */
export type Json = string | number | boolean | null | readonly Json[] | JsonMap;

export interface JsonMap {
  readonly [name: string]: Json;
}

/** Returns a value as JSON: members that are undefined are left out, and a value that JSON does not have becomes null. */
export function jsonOf(value: unknown): Json {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (isObject(value)) return jsonMapOf(value);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

export function jsonMapOf(map: object): JsonMap {
  const members = Object.entries(map).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, jsonOf(value)]));
}
