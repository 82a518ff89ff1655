import { isUnknown, SIGNATURE_KEY } from "../engine/engine-marks.ts";
import { type AgentLogConfigResult, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { isObject } from "../text/json.ts";
import { PIPELINE_COMMAND } from "../text/printable.ts";

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
