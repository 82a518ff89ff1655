import structMessages, { type JavaScriptValue, type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { isObject } from "../model/is-object.ts";
import type { Properties } from "../record/complete-inputs.ts";

/** Returns the properties in a message of the engine. */
export function propertiesOf(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {};
}

/** Returns a message with these properties; those that are undefined are left out. */
export function structOf(properties: Properties): Struct {
  return structMessages.Struct.fromJavaScript(membersOf(properties));
}

/** protobuf refuses undefined. */
function membersOf(map: object): Record<string, JavaScriptValue> {
  const members = Object.entries(map).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): JavaScriptValue {
  if (Array.isArray(value)) return value.map(plainValue);
  if (isObject(value)) return membersOf(value);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}
