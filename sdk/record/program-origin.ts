import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import type { Finding } from "../findings/finding.ts";
import { idOf } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";
import { isObject } from "../text/json.ts";
import { fingerprintsOf, type ReadTarget } from "./read-target.ts";
import type { GivenArguments } from "./resource-arguments.ts";

/**
 * What a program knows of the settings that it sends. It travels to the provider with the inputs of the resource, so that the
 * provider can tell whether the settings beside it belong to the resource that the engine is about to record.
 */
export interface ProgramOrigin {
  /** The name of the resource, which the provider host does not know. */
  readonly name: string;
  /** The read that the settings come from; undefined if only the engine can read. */
  readonly read?: ProgramRead | undefined;
  /** The names that {@link secretNamesBehind} returns, and those of outputs that the program calls secrets. */
  readonly secrets: readonly string[];
  readonly ignoreChanges: readonly string[];
}

export interface ProgramRead {
  readonly readTarget: ReadTarget;
  /** A fingerprint of the public key, which may be a secret of the stack. */
  readonly publicKey: string | null;
  /** Why there are no settings; undefined if they were read. */
  readonly failure?: Finding | undefined;
}

/** Returns an origin as one text, because the SDK, the engine and the provider each handle a member of a map by itself. */
export function originText(origin: ProgramOrigin): string {
  return JSON.stringify(origin);
}

export function originIn(text: unknown): ProgramOrigin | typeof UNKNOWN | undefined {
  if (isUnknown(text)) return UNKNOWN;
  try {
    const origin: unknown = JSON.parse(String(text));
    return isOrigin(origin) ? origin : undefined;
  } catch {
    return undefined;
  }
}

function isOrigin(value: unknown): value is ProgramOrigin {
  if (!isObject(value)) return false;
  const { name, secrets, ignoreChanges, read } = value;
  const isRead = read === undefined || (isObject(read) && isObject(read["readTarget"]));
  return typeof name === "string" && Array.isArray(secrets) && Array.isArray(ignoreChanges) && isRead;
}

/**
 * Tells whether a program has read the settings of this project and agent over the connection of the engine. A setting that the engine
 * leaves to the environment is not compared.
 */
export function belongsTo(
  { readTarget, publicKey }: ProgramRead,
  args: GivenArguments,
  connection: ConnectionSettings,
): boolean {
  const fingerprints = fingerprintsOf(connection);
  const isCompared = (setting: "baseUrl" | "publicKey") =>
    connection[setting] !== undefined && connection[setting].source !== "environment";
  const isSameService = !isCompared("baseUrl") || fingerprints.service === readTarget.service;
  const isSameKey = !isCompared("publicKey") || fingerprints.publicKey === publicKey;
  return readTarget.id === idOf(args) && isSameService && isSameKey;
}
