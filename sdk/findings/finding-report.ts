import { firstThatFit, printable } from "../text/printable.ts";
import type { Finding } from "./finding.ts";

/** Collects the findings of the resources of a run, so that each cause is reported once, with the names of its resources. */
export class FindingReport<Resource = string> {
  /** What is said of each resource, by the cause. */
  readonly #causes = new Map<string, Map<Resource, Finding>>();
  readonly #nameOf: (resource: Resource) => string;

  /** @param nameOf returns the name by which a user knows a resource */
  constructor(nameOf: (resource: Resource) => string) {
    this.#nameOf = nameOf;
  }

  /** Notes a finding of a resource. Returns the resource beside which its cause is reported. */
  note(resource: Resource, finding: Finding): Resource {
    const findings = this.#causes.get(finding.causeKey) ?? new Map<Resource, Finding>();
    this.#causes.set(finding.causeKey, findings.set(resource, finding));
    const [first = resource] = findings.keys();
    return first;
  }

  /** Returns how many resources have the cause of a finding. */
  countOf({ causeKey }: Finding): number {
    return this.#causes.get(causeKey)?.size ?? 0;
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
        return { resource, message: describeFinding(this.#namesOf(pairs), finding) };
      });
    });
  }

  /** The engine asks in another order in each run, so that names of resources are sorted. */
  #namesOf(pairs: readonly (readonly [Resource, Finding])[]): readonly string[] {
    return pairs.flatMap(([resource, finding]) => namesIn(this.#nameOf(resource), finding)).sort(BY_NAME.compare);
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

export function describeFinding(names: readonly string[], finding: Finding): string {
  const { message, record } = finding;
  const maxNames = maxNamesOf(finding);
  if (record !== undefined) {
    const isOne = names.length === 1;
    const gone = isOne ? "is gone" : "are gone";
    const used = isOne ? "uses the recorded settings" : "use the recorded settings";
    return `${message} AgentLogConfig ${listOf(names, maxNames)} ${record === "gone" ? gone : used}.`;
  }
  const subject = names.length === 1 ? "the resource" : "the resources";
  return `${message} This applies to ${subject} ${listOf(names, maxNames)}.`;
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
  const gone = isLast ? "are gone" : "is gone";
  const used = isLast ? "use their records" : "uses its record";
  return `${subject} ${record === "gone" ? gone : used}, too${evidence === undefined ? "" : ` (${evidence})`}.`;
}

/** Fewer resources are named in an outage, because nobody has to mend each of them. */
function maxNamesOf({ temporary = false }: Finding): number {
  return temporary ? 10 : 50;
}

/** Names resources. Of more than one too many, or of long names, it names the first ones, and says how many others there are. */
export function listOf(names: readonly string[], maxNames: number): string {
  const texts = names.map((name) => printable(name, 120));
  const firstTexts = firstThatFit(texts, names.length > maxNames + 1 ? maxNames : names.length);
  const others = names.length - firstTexts.length;
  return others === 0 ? texts.join(", ") : `${firstTexts.join(", ")} and ${others} others`;
}
