/** The key by which the engine recognizes assets, archives, secrets and outputs in what looks like a map. */
export const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";

/** The signature of a secret. */
export const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/** The text by which the engine marks a value that is not known yet. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** What a component returns for an output that is not known. The engine drops {@link UNKNOWN} in an update. */
export const UNKNOWN_OUTPUT = { [SIGNATURE_KEY]: "d0e6a833031e9bbcd3f4e8bde6ca49a4" };

/** All texts by which it does so: of a string, a boolean, a number, an array, an object, an asset and an archive. */
const UNKNOWN_MARKS: ReadonlySet<unknown> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
]);

export function isUnknown(value: unknown): boolean {
  return UNKNOWN_MARKS.has(value);
}
