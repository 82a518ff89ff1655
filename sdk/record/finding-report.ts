import { AgentLogConfigError } from "../model/errors.ts";
import { firstThatFit, printable } from "../model/printable.ts";
import { idOf } from "../model/read-arguments.ts";

/** Why a resource fails, or what it warns of. */
export interface Finding {
  /** What failed, why, and what to do about it. */
  readonly message: string;
  /** Findings with the same key have the same cause, and are reported as one. */
  readonly causeKey: string;
  /** It is an outage, so the settings recorded before may still be right. */
  readonly temporary?: boolean;
  /** What becomes of the record of a resource with a warning: it is removed, or its settings are used. */
  readonly record?: "gone" | "used";
}

/** Collects the findings of the resources of a run, so that each cause is reported once, with the names of its resources. */
export class FindingReport<Resource = string> {
  /** What is said of each resource, by the cause. */
  readonly #causes = new Map<string, Map<Resource, Finding>>();
  readonly #nameOf: ((resource: Resource) => string) | undefined;

  /**
   * @param nameOf returns the name by which a user knows a resource; undefined if each message names its own resource as the
   * report does
   */
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
    const resources = pairs.map(([resource]) => resource);
    return this.#nameOf === undefined ? resources.map(String) : resources.map(this.#nameOf).sort(BY_NAME.compare);
  }
}

const BY_NAME = new Intl.Collator("en", { numeric: true });

/** Returns what to say of a resource for which this was thrown. */
export function errorFinding(error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof AgentLogConfigError)) return { message, causeKey: `ERR_UNKNOWN: ${message}` };
  const { code, temporary, errorCode = "", details } = error;
  return { message, causeKey: `${code} ${errorCode}: ${details.says}`, temporary };
}

/** Returns a failure of a resource, whose name the engine does not show with --diff. Its key is the sentence without the resource. */
export function resourceFinding(resource: Parameters<typeof idOf>[0], says: string): Finding {
  return { message: `AgentLogConfig ${printable(idOf(resource), 80)}: ${says}`, causeKey: says };
}

/**
 * Returns the sentences for resources that have one cause.
 * @param names of the resources
 * @param finding what is said of the first of them
 * @param isNamed its message names the resource, too
 */
export function describeFinding(names: readonly string[], { message, record }: Finding, isNamed = false): string {
  if (record === undefined) {
    const [says, which] = isNamed ? ["The same applies", names.slice(1)] : ["This applies", names];
    return which.length === 0 ? message : `${message} ${says} to ${listOf(which)}.`;
  }
  const subject = `AgentLogConfig ${listOf(names)}`;
  const [is, uses] = names.length === 1 ? ["is", "uses"] : ["are", "use"];
  return `${subject} ${record === "gone" ? `${is} gone` : `${uses} the recorded settings`}. ${message}`;
}

/** The most resources that are named for one cause. */
const MAX_NAMES = 50;

/** Names resources. Of more than 51, or of long names, it names the first ones, and says how many others there are. */
function listOf(names: readonly string[]): string {
  const texts = names.map((name) => printable(name, 120));
  const firstTexts = firstThatFit(texts, names.length > MAX_NAMES + 1 ? MAX_NAMES : names.length);
  const others = names.length - firstTexts.length;
  return others === 0 ? texts.join(", ") : `${firstTexts.join(", ")} and ${others} others`;
}
