import { type AgentLogConfigResult, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { isObject } from "../model/json.ts";
import { PIPELINE_COMMAND } from "../model/printable.ts";

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
export function withSealed(
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

/** The most characters of a setting as JSON. The engine takes seconds for each megabyte. A real setting has some 100 characters. */
const MAX_SETTING_CHARACTERS = 65_536;

/** The most characters of one string. The time in which the engine compares two strings grows with the square of their length. */
const MAX_STRING_CHARACTERS = 4096;

/** The most levels of a setting. With so few, code that walks a setting does not run out of stack. Real settings have fewer. */
const MAX_DEPTH = 100;

/**
 * Refuses settings that the engine would misread or can't keep, such as its own seals of secrets and marks of unknown values: it reads files and
 * fetches addresses for maps with its signature, its command line crashes on some strings, and Azure Pipelines and TeamCity
 * obey others.
 * @throws AgentLogConfigError `ERR_INVALID_RESPONSE` that names the setting, never the value or a key inside it
 */
export function refuseUnusableSettings(result: AgentLogConfigResult): void {
  // The functions return the version of the service beside its settings.
  for (const name of [...SETTING_NAMES, "serviceVersion"] as const) {
    const problem = problemOfSetting(result[name]);
    if (problem === undefined) continue;
    throw new AgentLogConfigError("ERR_INVALID_RESPONSE", `${name} has ${problem}; change it in the service`, {
      subject: `The ${result.agent} agent's log settings of project ${result.projectId} can't be used in a Pulumi program`,
    });
  }
}

function problemOfSetting(value: unknown): string | undefined {
  // The CLI prints a setting of several lines as it is, with whatever a terminal would obey.
  if (typeof value === "string" && /\p{Cc}/u.test(value)) return "control characters";
  const problem = problemIn(value, MAX_DEPTH);
  if (problem !== undefined || !isObject(value)) return problem;
  return JSON.stringify(value).length > MAX_SETTING_CHARACTERS ? "more than 64 KiB" : undefined;
}

/** @param levels how many a value may have */
function problemIn(value: unknown, levels: number): string | undefined {
  if (typeof value === "string") return problemInText(value);
  if (typeof value === "number" && !Number.isFinite(value)) return "a number beyond the limits of JSON";
  if (!isObject(value)) return undefined;
  if (levels === 0) return `more than ${MAX_DEPTH} levels`;
  for (const [key, inner] of Object.entries(value)) {
    const isReserved = key === "" || key === SIGNATURE_KEY || /^__(?:pulumi|proto__$)/.test(key);
    const inKey = isReserved ? "a key that is empty, or that Pulumi or JavaScript uses itself" : problemInText(key);
    const problem = inKey ?? problemIn(inner, levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemInText(text: string): string | undefined {
  if (isUnknown(text)) return "a value by which Pulumi marks what is not known yet";
  if (text.length > MAX_STRING_CHARACTERS) return "more than 4,096 characters in one string";
  if (!text.isWellFormed()) return "half of a surrogate pair, which is not valid UTF-8";
  if (text.includes("<{%")) return "a sequence of characters (less-than, brace, percent) that crashes the Pulumi CLI";
  return PIPELINE_COMMAND.test(text)
    ? "a sequence of characters (number signs, bracket) that Azure Pipelines or TeamCity takes for a command"
    : undefined;
}
