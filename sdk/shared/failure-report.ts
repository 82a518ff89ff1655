import { printable } from "../client/printable.ts";

/** Why a resource fails, or what it warns of. */
export interface Failure {
  /** What failed, why, and what to do about it. */
  readonly message: string;
  /** The same for all failures that are reported as one. */
  readonly cause: string;
}

/** A failure of the service, because of which the recorded settings are used. */
export interface Outage extends Failure {
  /** When these were first read, as the state says; undefined where that is not known. */
  readonly unchangedSince: unknown;
}

/** What a report says of one cause. */
export interface ReportedFailure extends Failure {
  /** The resource beside which it is shown. */
  readonly resource: string;
}

/** Collects what is to be said of the resources of a run, and says each cause once, with the names of its resources. */
export class FailureReport {
  /** The resources of each cause. */
  readonly #causes = new Map<string, Map<string, Failure | Outage>>();
  readonly #nameOf: (resource: string) => string;

  /** @param nameOf returns the name by which a user knows a resource */
  constructor(nameOf = (resource: string) => resource) {
    this.#nameOf = nameOf;
  }

  note(resource: string, failures: readonly (Failure | Outage)[]): void {
    for (const failure of failures) {
      const alike = this.#causes.get(failure.cause) ?? new Map<string, Failure | Outage>();
      this.#causes.set(failure.cause, alike.set(resource, failure));
    }
  }

  /** Forgets what was noted of a resource. */
  forget(resource: string): void {
    for (const alike of this.#causes.values()) alike.delete(resource);
  }

  /**
   * Returns each cause once, beside the first resource that was noted for it.
   * @param at the resource whose own causes come first, and beside it
   */
  entries(at = ""): ReportedFailure[] {
    const causes = Array.from(this.#causes).toSorted(([, one], [, other]) => +other.has(at) - +one.has(at));
    return causes.flatMap(([cause, alike]) => {
      const [resource = "", ...others] = new Set([...(alike.has(at) ? [at] : []), ...alike.keys()]);
      const first = alike.get(resource);
      if (first === undefined) return [];
      if ("unchangedSince" in first) {
        const names = [resource, ...others].map(this.#nameOf);
        return [{ cause, resource, message: describeOutage(names, [...alike.values()], first.message) }];
      }
      const names = listOf(others.map(this.#nameOf));
      const same = others.length === 0 ? "" : ` The same applies to ${names}.`;
      return [{ cause, resource, message: `${first.message}${same}` }];
    });
  }
}

/**
 * Returns the warning about an outage: whose recorded settings are used, when the oldest of them were first read, and why.
 * @param reason empty where it was given before
 */
export function describeOutage(names: readonly string[], outages: readonly Partial<Outage>[], reason: string): string {
  const times = outages.map((outage) => outage.unchangedSince).filter(isDate);
  const [oldest] = times.toSorted();
  const [uses, which] = names.length === 1 ? ["uses", "which"] : ["use", "the oldest of which"];
  const age = oldest === undefined ? "" : `, ${which} were first read ${ageOf(oldest)}`;
  return `AgentLogConfig ${listOf(names)} ${uses} the recorded settings${age}. ${reason}`.trimEnd();
}

/** How many of the resources of one cause are named. */
const MAX_NAMES = 50;

function listOf(names: readonly string[]): string {
  const shown = names
    .slice(0, names.length > MAX_NAMES + 1 ? MAX_NAMES : undefined)
    .map((name) => printable(name, 120));
  const others = names.length - shown.length;
  return others === 0 ? shown.join(", ") : `${shown.join(", ")} and ${others} others`;
}

/** A state may have been edited, and Date.parse takes almost anything for a date. */
function isDate(value: unknown): value is string {
  return typeof value === "string" && ISO_DATE.test(value) && Date.parse(value) <= Date.now();
}

const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

function ageOf(time: string): string {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 60_000));
  const hours = Math.floor(minutes / 60);
  const age = minutes < 120 ? `${minutes} min` : hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
  return `${minutes < 1 ? "less than a minute" : age} ago (${time})`;
}
