import structMessages, { type JavaScriptValue, type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { Properties } from "../provider/resource-lifecycle.ts";

/** Returns the properties in a message of the engine. */
export function propertiesOf(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {};
}

/** Returns a message with these properties; those that are undefined are left out. */
export function structOf(properties: Properties): Struct {
  // protobuf refuses undefined, which JSON leaves out.
  const json: Record<string, JavaScriptValue> = JSON.parse(JSON.stringify(properties));
  return structMessages.Struct.fromJavaScript(json);
}
