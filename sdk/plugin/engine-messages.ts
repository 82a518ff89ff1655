import { isDeepStrictEqual } from "node:util";
import structMessages, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { isSecret, seal } from "../engine/engine-marks.ts";
import { SECRET_SETTING } from "../model/agent-log-settings.ts";
import type { Properties } from "../record/resource-properties.ts";
import { isObject, jsonMapOf } from "../text/json.ts";

export function propertiesOf(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {};
}

/** Returns a message with these properties; those that are undefined are left out, because protobuf refuses them. */
export function structOf(properties: Properties): Struct {
  return structMessages.Struct.fromJavaScript(jsonMapOf(properties));
}

/** Takes the secrets in these properties out of their seals, at any depth. */
export function withoutSeals(properties: Properties): Properties {
  return mapValues(properties, unsealDeep);
}

/** Returns the names of the properties that are secret, or have a secret inside. */
export function sealedNames(properties: object): string[] {
  return Object.entries(properties).flatMap(([name, value]) => (hasSecret(value) ? [name] : []));
}

/** Returns the value of a secret, and any other value as it is. */
function unseal(value: unknown): unknown {
  return isSecret(value) ? unseal(value["value"]) : value;
}

/**
 * Seals the secrets again, and the setting that always is one.
 * @param source the properties as the engine sent them
 */
export function resealAs(properties: Properties, source: Properties): Properties {
  return mapValues(properties, (value, name) => sealAgain(value, source[name], name === SECRET_SETTING));
}

/** A value that has not changed keeps its form. Any other value becomes a secret as a whole if it had a secret inside. */
function sealAgain(value: unknown, before: unknown, isAlwaysSecret: boolean): unknown {
  if (!hasSecret(before)) return isAlwaysSecret ? seal(value) : value;
  return isDeepStrictEqual(unsealDeep(before), value) ? before : seal(value);
}

function unsealDeep(value: unknown): unknown {
  const content = unseal(value);
  if (Array.isArray(content)) return content.map(unsealDeep);
  return isObject(content) ? mapValues(content, unsealDeep) : content;
}

/** Tells whether a value is a secret or has one inside. */
function hasSecret(value: unknown): boolean {
  return isSecret(value) || (isObject(value) && Object.values(value).some(hasSecret));
}

function mapValues(properties: object, change: (value: unknown, name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, change(value, name)]));
}

// A URN is `urn:pulumi:<stack>::<project>::<types>::<name>`. The types are those of its parents and its own, with $ between, and a
// name may have colons in it.

export function nameInUrn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** Returns the type of the resource itself. */
export function typeInUrn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}
