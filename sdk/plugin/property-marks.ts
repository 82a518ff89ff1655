import { isDeepStrictEqual } from "node:util";
import { isSecretSetting } from "../client/agent-log-settings.ts";
import { isObject, isPlainObject } from "../client/is-object.ts";
import type { Properties } from "../provider/resource-lifecycle.ts";
import { isSecret, seal } from "../shared/engine-marks.ts";

/** Returns the properties without the marks of secrets, at any depth. */
export function withoutMarks(properties: Properties): Properties {
  return mapValues(properties, unmark);
}

/** Returns the names of the properties that are secret, or have a secret inside. */
export function markedNames(properties: object): string[] {
  return Object.entries(properties).flatMap(([name, value]) => (isMarked(value) ? [name] : []));
}

/** Returns the value of a secret, and any other value as it is. */
function unseal(value: unknown): unknown {
  return isSecret(value) ? unseal(value["value"]) : value;
}

/** Leaves out null, at any depth. Python sends it for None, which other languages leave out. */
export function withoutNull(properties: Properties): Properties {
  const members = Object.entries(properties).filter(([, value]) => unseal(value) !== null);
  return mapValues(Object.fromEntries(members), (value) => (isPlainObject(value) ? withoutNull(value) : value));
}

/**
 * Marks the secrets again. A property that has not changed keeps the form that the engine sent, and any other one becomes a
 * secret as a whole if it was one before. The settings that are secrets always are.
 * @param sent the properties as the engine sent them
 * @param recorded the inputs in the state; a program in TypeScript has marked absent ones, and the removal of a mark is a change
 */
export function withMarks(properties: Properties, sent: Properties, recorded: Properties = {}): Properties {
  return mapValues(properties, (value, name) => {
    const before = sent[name];
    // The engine marks an absent output, but not the input of the same name.
    if (value === null) return unseal(recorded[name]) === null ? recorded[name] : null;
    if (isMarked(before) && isDeepStrictEqual(unmark(before), value)) return before;
    return isMarked(before) || isSecretSetting(name) ? seal(value) : value;
  });
}

function unmark(value: unknown): unknown {
  const content = unseal(value);
  if (Array.isArray(content)) return content.map(unmark);
  return isObject(content) ? mapValues(content, unmark) : content;
}

/** Tells whether a value is a secret or has one inside. */
function isMarked(value: unknown): boolean {
  return isSecret(value) || (isObject(value) && Object.values(value).some(isMarked));
}

function mapValues(properties: object, change: (value: unknown, name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, change(value, name)]));
}
