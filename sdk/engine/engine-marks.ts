import { isObject } from "../text/json.ts";

/** The key by which the engine recognizes assets, archives, secrets and outputs in what looks like a map. */
export const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";

export const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/** The text by which the engine marks a value that is not known yet. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The marks of a string, a boolean, a number, an array, an object, an asset and an archive that are not known yet. */
const UNKNOWN_MARKS: ReadonlySet<unknown> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
]);

/** Gives a value the engine's form of a secret. */
export function seal(value: unknown): unknown {
  return isSecret(value) ? value : { [SIGNATURE_KEY]: SECRET_SIGNATURE, value };
}

/** Seals one of these properties, if it is there. */
export function sealProperty(
  properties: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, unknown>> {
  return properties[name] === undefined ? properties : { ...properties, [name]: seal(properties[name]) };
}

export function isSecret(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value[SIGNATURE_KEY] === SECRET_SIGNATURE;
}

export function isUnknown(value: unknown): boolean {
  return UNKNOWN_MARKS.has(value);
}
