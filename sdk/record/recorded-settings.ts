import { isUnknown } from "../engine/engine-marks.ts";
import { CONFIGS } from "../engine/frozen-texts.ts";
import { idOf } from "../model/read-arguments.ts";
import type { ReadTarget } from "./read-target.ts";
import { isFleet } from "./resource-arguments.ts";
import type { ResourceProperties } from "./resource-properties.ts";

/** What takes the place of a record that does not exist. */
export const NO_RECORD: ResourceProperties = { args: {}, settings: {} };

/** Tells whether there is a record. The state that a program gives to `get` has arguments alone. */
export function isRecorded({ args, settings }: ResourceProperties): boolean {
  return isFleet(args) ? settings[CONFIGS] !== undefined : args.projectId !== undefined;
}

/** Returns what the settings of a record were read for. A state that does not say so may have been edited, or be of an older version. */
export function readTargetIn({ args, readTarget }: ResourceProperties): ReadTarget {
  const id = idOf(args);
  return readTarget?.id === id ? readTarget : { id, service: null };
}

/** Returns which arguments name another project or agent than the record; what is not known yet may be the same. */
export function movedArguments(
  { args: recordArgs }: ResourceProperties,
  { args }: ResourceProperties,
): readonly string[] {
  return ["projectId", "agent"].filter((name) => !isUnknown(args[name]) && args[name] !== recordArgs[name]);
}

/** Tells whether a record is of the project and the agent that the inputs name, or both are of a fleet. */
export function isRecordOf({ args: recordArgs }: ResourceProperties, { args }: ResourceProperties): boolean {
  const isSameKind = isFleet(recordArgs) === isFleet(args);
  return isSameKind && recordArgs.projectId === args.projectId && recordArgs.agent === args.agent;
}
