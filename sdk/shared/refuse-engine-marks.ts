import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { SETTINGS } from "../client/agent-log-settings.ts";
import { AgentLogConfigError } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";
import { SIGNATURE_KEY, UNKNOWN } from "./engine-marks.ts";

/**
 * Refuses settings that the engine would misread, such as its own markers for secrets and unknown values: it reads files and
 * fetches addresses for maps with its signature, and its command line crashes on some strings.
 * @throws AgentLogConfigError `ERR_INVALID_RESPONSE` that names the path, never the value
 */
export function refuseEngineMarks(result: AgentLogConfigResult): void {
  for (const name of Object.keys(SETTINGS)) {
    const value: unknown = Reflect.get(result, name);
    const problem = typeof value === "string" ? findInSetting(value, name) : findMark(value, name);
    if (problem === undefined) continue;
    throw new AgentLogConfigError(
      "ERR_INVALID_RESPONSE",
      `The ${result.agent} agent's log settings of project ${result.projectId} can't be used in a Pulumi program: ${problem}; change that setting in the service.`,
    );
  }
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
  if (!text.isWellFormed()) return `${path} has half of a surrogate pair, which is not valid UTF-8`;
  if (text === UNKNOWN) return `${path} has the value by which Pulumi marks what is not known yet`;
  if (text.includes("<{%"))
    return `${path} contains a sequence of characters (less-than, brace, percent) that crashes the Pulumi CLI`;
  return undefined;
}

function findMarkInKey(key: string, path: string): string | undefined {
  if (!key.isWellFormed()) return `${path} has a key with half of a surrogate pair, which is not valid UTF-8`;
  if (key === "") return `${path} has an empty key`;
  if (key === SIGNATURE_KEY) return `${path} has the key by which Pulumi marks assets and secrets`;
  if (key.startsWith("__pulumi")) return `${path} has a key that begins with __pulumi, which Pulumi uses itself`;
  if (key.includes("<{%"))
    return `${path} has a key with a sequence of characters (less-than, brace, percent) that crashes the Pulumi CLI`;
  return undefined;
}
