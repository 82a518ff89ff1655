/** The key by which the engine recognizes assets, archives, secrets and outputs in what looks like a map. */
export const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";

/** The signature of a secret. */
export const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/** The text by which the engine marks a value that is not known yet. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
