import structMessages, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { jsonMapOf } from "../model/json.ts";
import type { Properties } from "../record/resource-record.ts";

/** Returns the properties in a message of the engine. */
export function propertiesOf(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {};
}

/** Returns a message with these properties; those that are undefined are left out, because protobuf refuses them. */
export function structOf(properties: Properties): Struct {
  return structMessages.Struct.fromJavaScript(jsonMapOf(properties));
}
