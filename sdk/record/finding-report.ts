import { AgentLogConfigError, shortEvidence } from "../model/errors.ts";
import { isObject } from "../model/json.ts";
import { firstThatFit, printable } from "../model/printable.ts";
import { type AgentOfProject, idOf } from "../model/read-arguments.ts";

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

/** Returns findings as one text, because the engine shows each member of a list, and a fleet may have thousands. */
export function findingsText(findings: readonly Finding[]): string {
  return JSON.stringify(findings);
}

/** Returns the findings in a text. It judges nothing, because a state may have been edited. */
export function parseFindings(text: unknown): readonly Finding[] {
  try {
    const findings: unknown = JSON.parse(String(text));
    return Array.isArray(findings) ? findings.filter(isFinding) : [];
  } catch {
    return [];
  }
}

function isFinding(value: unknown): value is Finding {
  return isObject(value) && typeof value["message"] === "string" && typeof value["causeKey"] === "string";
}

/** Collects the findings of the resources of a run, so that each cause is reported once, with the names of its resources. */
export class FindingReport<Resource = string> {
  /** What is said of each resource, by the cause. */
  readonly #causes = new Map<string, Map<Resource, Finding>>();
  readonly #nameOf: ((resource: Resource) => string) | undefined;

  /** @param nameOf returns the name by which a user knows a resource; undefined if each message names its resource itself */
  constructor(nameOf?: (resource: Resource) => string) {
    this.#nameOf = nameOf;
  }

  /** Notes a finding of a resource. Returns the resource beside which its cause is reported. */
  note(resource: Resource, finding: Finding): Resource {
    const findings = this.#causes.get(finding.causeKey) ?? new Map<Resource, Finding>();
    this.#causes.set(finding.causeKey, findings.set(resource, finding));
    const [first = resource] = findings.keys();
    return first;
  }

  forget(resource: Resource): void {
    for (const findings of this.#causes.values()) findings.delete(resource);
  }

  /**
   * Returns each cause once, with the names of all its resources. It stands beside the first resource that was noted for it.
   * @param at the resource beside which its own causes stand
   */
  entries(at?: Resource): { readonly resource: Resource; readonly message: string }[] {
    return [...this.#causes.values()].flatMap((findings) => {
      const pairs = [...findings].sort(([one], [other]) => Number(other === at) - Number(one === at));
      // All findings of a cause may be forgotten.
      return pairs.slice(0, 1).map(([resource, finding]) => {
        return { resource, message: describeFinding(this.#namesOf(pairs), finding, this.#nameOf === undefined) };
      });
    });
  }

  /** The engine asks in another order in each run, so that names of resources are sorted. */
  #namesOf(pairs: readonly (readonly [Resource, Finding])[]): readonly string[] {
    const nameOf = this.#nameOf;
    if (nameOf === undefined) return pairs.map(([resource]) => String(resource));
    return pairs.flatMap(([resource, finding]) => namesIn(nameOf(resource), finding)).sort(BY_NAME.compare);
  }
}

const BY_NAME = new Intl.Collator("en", { numeric: true });

/** Returns the names of what a finding of a resource is said of: of the resource, or of members of a fleet. */
export function namesIn(resource: string, { members }: Finding): readonly string[] {
  return members?.map((key) => `${resource} ${key}`) ?? [resource];
}

/** Says why a resource fails, beside which the engine prints its name. gRPC loses an error that is too long. */
export function failureText(failures: readonly Finding[]): string {
  const texts = failures.map((failure) => {
    return failure.members === undefined ? failure.message : describeFinding(failure.members, failure);
  });
  const firstTexts = firstThatFit(texts, texts.length);
  const others = texts.length - firstTexts.length;
  return [...firstTexts, ...(others > 0 ? [`And ${others} other failures, which a preview shows.`] : [])].join("\n");
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

/** @param isNamed the finding is that of the first resource, and its message has the name */
export function describeFinding(names: readonly string[], finding: Finding, isNamed = false): string {
  const { message, record } = finding;
  const maxNames = maxNamesOf(finding);
  if (record !== undefined) {
    const [is, uses] = names.length === 1 ? ["is", "uses"] : ["are", "use"];
    const what = record === "gone" ? `${is} gone` : `${uses} the recorded settings`;
    return `${message} AgentLogConfig ${listOf(names, maxNames)} ${what}.`;
  }
  const subject = names.length === 1 ? "the resource" : "the resources";
  if (!isNamed) return `${message} This applies to ${subject} ${listOf(names, maxNames)}.`;
  return names.length === 1 ? message : `${message} The same applies to ${listOf(names.slice(1), maxNames)}.`;
}

/**
 * Returns a warning of one more resource where nobody knows which one is the last: the reason with the first one, a short line for each
 * of the next, and a line for all others.
 * @param count how many resources warn of the cause, with this one
 */
export function describeNext(name: string, finding: Finding, count: number): string | undefined {
  const { record, causeKey, evidence, members } = finding;
  // A fleet knows all its members.
  if (members !== undefined) return describeFinding(namesIn(name, finding), finding);
  if (count > maxNamesOf(finding) + 1) return undefined;
  const isLast = count > maxNamesOf(finding);
  const subject = isLast ? "Other resources" : printable(name, 120);
  if (record === undefined) return `${isLast ? subject : `AgentLogConfig ${subject}`}: ${causeKey}`;
  if (count === 1) return describeFinding([name], finding);
  const [is, uses] = isLast ? ["are", "use their records"] : ["is", "uses its record"];
  return `${subject} ${record === "gone" ? `${is} gone` : uses}, too${evidence === undefined ? "" : ` (${evidence})`}.`;
}

/** Fewer resources are named in an outage, because nobody has to mend each of them. */
function maxNamesOf({ temporary = false }: Finding): number {
  return temporary ? 10 : 50;
}

/** Names resources. Of more than one too many, or of long names, it names the first ones, and says how many others there are. */
function listOf(names: readonly string[], maxNames: number): string {
  const texts = names.map((name) => printable(name, 120));
  const firstTexts = firstThatFit(texts, names.length > maxNames + 1 ? maxNames : names.length);
  const others = names.length - firstTexts.length;
  return others === 0 ? texts.join(", ") : `${firstTexts.join(", ")} and ${others} others`;
}
