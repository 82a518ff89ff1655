import { AgentLogConfigError, shortEvidence } from "../model/errors.ts";
import { type AgentOfProject, idOf } from "../model/read-arguments.ts";
import { isObject } from "../text/json.ts";
import { printable } from "../text/printable.ts";

/** Why a resource fails, or what it warns of. */
export interface Finding {
  /** What failed, why, and what to do about it. */
  readonly message: string;
  /** Findings with the same key have the same cause, and are reported as one. */
  readonly causeKey: string;
  /** It is an outage, so the settings recorded before may still be right. */
  readonly temporary?: boolean;
  /** What shows it in a few words, such as `status 503`. */
  readonly evidence?: string | undefined;
  /** What becomes of the record of a resource with a warning: it is removed, or its settings are used. */
  readonly record?: "gone" | "used";
  /** The keys of the members of a fleet that it is said of; undefined for a resource of its own. */
  readonly members?: readonly string[] | undefined;
}

/** Returns what to say of a resource for which this was thrown. */
export function errorFinding(error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof AgentLogConfigError)) return { message, causeKey: `ERR_UNKNOWN: ${message}` };
  const { code, temporary, errorCode = "", details } = error;
  return { message, causeKey: `${code} ${errorCode}: ${details.says}`, temporary, evidence: shortEvidence(error) };
}

/** Returns a failure of a resource, whose name the engine does not show with --diff. Its key is the sentence without the resource. */
export function resourceFinding(resource: AgentOfProject, says: string): Finding {
  return { message: `AgentLogConfig ${printable(idOf(resource), 80)}: ${says}`, causeKey: says };
}

/** Begins a text of findings. The engine shows JSON member by member, and a fleet may have thousands. */
const PREFIX = "findings: ";

/** Returns findings as one text. */
export function findingsText(findings: readonly Finding[]): string {
  return `${PREFIX}${JSON.stringify(findings)}`;
}

/** Returns the findings in a text. It judges nothing, because a state may have been edited. */
export function parseFindings(text: unknown): readonly Finding[] {
  try {
    const findings: unknown = JSON.parse(String(text).replace(PREFIX, ""));
    return Array.isArray(findings) ? findings.filter(isFinding) : [];
  } catch {
    return [];
  }
}

function isFinding(value: unknown): value is Finding {
  return isObject(value) && typeof value["message"] === "string" && typeof value["causeKey"] === "string";
}
