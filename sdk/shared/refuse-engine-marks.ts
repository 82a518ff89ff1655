import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { SETTING_NAMES } from "../client/agent-log-settings.ts";
import { AgentLogConfigError } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";
import { isUnknown, SIGNATURE_KEY } from "./engine-marks.ts";

/** Characters of a setting as JSON. The engine takes seconds for each megabyte, and real settings have some hundred. */
const MAX_LENGTH = 65_536;

/**
 * Refuses settings that the engine would misread, such as its own marks of secrets and unknown values: it reads files and
 * fetches addresses for maps with its signature, and its command line crashes on some strings.
 * @throws AgentLogConfigError `ERR_INVALID_RESPONSE` that names the path, never the value
 */
export function refuseEngineMarks(result: AgentLogConfigResult): void {
  for (const name of SETTING_NAMES) {
    const value: unknown = Reflect.get(result, name);
    const problem =
      typeof value === "string"
        ? findInSetting(value, name)
        : (findMark(value, name) ?? (isTooLong(value) ? `${name} is longer than 64 KiB` : undefined));
    if (problem === undefined) continue;
    throw new AgentLogConfigError("ERR_INVALID_RESPONSE", `${problem}; change that setting in the service`, {
      subject: `The ${result.agent} agent's log settings of project ${result.projectId} can't be used in a Pulumi program`,
    });
  }
}

function isTooLong(value: unknown): boolean {
  return isObject(value) && JSON.stringify(value).length > MAX_LENGTH;
}

/** The CLI prints a setting of several lines as it is, with whatever a terminal would obey. */
function findInSetting(text: string, name: string): string | undefined {
  return /\p{Cc}/u.test(text) ? `${name} has control characters` : findMarkInText(text, name);
}

function findMark(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return findMarkInText(value, path);
  if (!isObject(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = findMarkInKey(key, path) ?? findMark(inner, `${path}.${printable(key, 80)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findMarkInText(text: string, path: string): string | undefined {
  if (isUnknown(text)) return `${path} has a value by which Pulumi marks what is not known yet`;
  const problem = whyUnprintable(text);
  return problem && `${path} has ${problem}`;
}

function findMarkInKey(key: string, path: string): string | undefined {
  if (key === "") return `${path} has an empty key`;
  if (key === SIGNATURE_KEY) return `${path} has the key by which Pulumi marks assets and secrets`;
  if (key.startsWith("__pulumi")) return `${path} has a key that begins with __pulumi, which Pulumi uses itself`;
  const problem = whyUnprintable(key);
  return problem && `${path} has a key with ${problem}`;
}

function whyUnprintable(text: string): string | undefined {
  if (!text.isWellFormed()) return "half of a surrogate pair, which is not valid UTF-8";
  return text.includes("<{%")
    ? "a sequence of characters (less-than, brace, percent) that crashes the Pulumi CLI"
    : undefined;
}
