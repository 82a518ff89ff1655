import { printable } from "../client/printable.ts";

/** Why a resource fails, or what it warns of. */
export interface Failure {
  /** What failed, why, and what to do about it. */
  readonly message: string;
  /** The same for all failures that are reported as one. */
  readonly cause: string;
  /** It is an outage, so that the settings recorded before may still be right. */
  readonly temporary?: boolean;
  /** What becomes of the record of a resource that only warns: it is removed, or its settings are used, which were first read then. */
  readonly record?: "gone" | { readonly unchangedSince: unknown };
}

/** Collects what is to be said of the resources of a run, and says each cause once, with the names of its resources. */
export class FailureReport {
  /** What is said of each resource, by the cause. */
  readonly #causes = new Map<string, Map<string, Failure>>();
  readonly #nameOf: (resource: string) => string;

  /** @param nameOf returns the name by which a user knows a resource */
  constructor(nameOf = (resource: string) => resource) {
    this.#nameOf = nameOf;
  }

  note(resource: string, failures: readonly Failure[]): void {
    for (const failure of failures) {
      const alike = this.#causes.get(failure.cause) ?? new Map<string, Failure>();
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
  entries(at?: string): { readonly resource: string; readonly message: string }[] {
    const causes = foremost([...this.#causes.values()], (alike) => at !== undefined && alike.has(at));
    return causes.flatMap((alike) => {
      const found = foremost([...alike], ([resource]) => resource === at);
      const names = found.map(([resource]) => this.#nameOf(resource));
      const [first] = found;
      // What was noted may be forgotten.
      return first === undefined
        ? []
        : [
            {
              resource: first[0],
              message: describe(
                names,
                found.map(([, failure]) => failure),
              ),
            },
          ];
    });
  }
}

/** Moves some items to the front. */
function foremost<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): readonly Item[] {
  return [...items.filter(isFirst), ...items.filter((item) => !isFirst(item))];
}

/**
 * Returns the sentences for resources that have one cause.
 * @param names of the resources
 * @param alike what is said of each of them
 */
export function describe(names: readonly string[], alike: readonly Failure[]): string {
  const [{ message, record } = { message: "" }] = alike;
  if (record === undefined)
    return names.length < 2 ? message : `${message} The same applies to ${listOf(names.slice(1))}.`;
  const what = `AgentLogConfig ${listOf(names)}`;
  if (record === "gone") return `${what} ${names.length === 1 ? "is" : "are"} gone. ${message}`;
  const times = alike.map(({ record }) => (typeof record === "object" ? record.unchangedSince : undefined));
  const [oldest] = times.filter(isDate).toSorted();
  const [uses, which] = names.length === 1 ? ["uses", "which"] : ["use", "the oldest of which"];
  const age = oldest === undefined ? "" : `, ${which} were first read ${ageOf(oldest)}`;
  return `${what} ${uses} the recorded settings${age}. ${message}`;
}

/** How many of the resources of one cause are named. */
const MAX_NAMES = 50;

/** Names resources, fifty of them at most, and then their number. */
export function listOf(names: readonly string[]): string {
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
