import { printable } from "../digest/printable.ts";

/** Why a resource fails. */
export interface Failure {
  /** What failed, why, and what to do about it. */
  readonly sentence: string;
  /** The same for all failures that are reported as one. */
  readonly cause: string;
}

/** What is reported of one resource that fails. */
export interface NamedFailure extends Failure {
  readonly name: string;
}

/** Returns a failure that has its cause with no other one in common, unless that says the same. */
export function failure(sentence: string): Failure {
  return { sentence, cause: sentence };
}

/** How many of those that share a cause are named where nothing else names them, as in a preview. */
export const MANY_NAMES = 50;

/**
 * Says in one line for each cause what else has failed: which resources, and the sentence of the first.
 * @param told the causes of which a reader knows already
 * @param maxNames how many of those that share a cause are named
 */
export function describeFailures(
  failures: readonly NamedFailure[],
  told: readonly Failure[] = [],
  maxNames = 3,
): string[] {
  const toldCauses = new Set(told.map(({ cause }) => cause));
  const causes = [...Map.groupBy(failures, ({ cause }) => cause)];
  // What refers to the sentences that are told comes right after them.
  causes.sort(([one], [other]) => Number(toldCauses.has(other)) - Number(toldCauses.has(one)));
  return causes.map(([cause, alike]) => {
    const names = listOf(
      alike.map(({ name }) => name),
      maxNames,
    );
    if (toldCauses.has(cause)) return `The same is true of ${alike.length} more: ${names}.`;
    return alike.length === 1
      ? `${names}: ${alike[0]?.sentence}`
      : `${alike.length} fail alike: ${names}. ${alike[0]?.sentence}`;
  });
}

function listOf(names: readonly string[], maxNames: number): string {
  const shown = [...new Set(names)];
  if (shown.length <= maxNames + 1) return shown.join(", ");
  return `${shown.slice(0, maxNames).join(", ")} and ${shown.length - maxNames} others`;
}

/** An outage in which the recorded settings of a resource are used. */
export interface Outage {
  /** When they were first read. */
  readonly unchangedSince: unknown;
  /** Why they could not be read now. */
  readonly reason: string;
  /** The same for all outages that have one reason. */
  readonly cause: string;
}

/** The causes of which a run has told, and the id of the resource that it told of first. */
export type ToldOutages = Map<string, string>;

/**
 * Returns the warning about an outage: with its reason for the first resource of each cause, and without it for the others.
 * @param told what was told before in this run; the cause is added
 */
export function describeOutage(id: string, { unchangedSince, reason, cause }: Outage, told: ToldOutages): string {
  const which = isDate(unchangedSince)
    ? `the recorded settings, which were first read ${ageOf(unchangedSince)}`
    : "the recorded settings";
  const first = told.get(cause);
  if (first === undefined) told.set(cause, id);
  return `AgentLogConfig ${printable(id, 80)} uses ${which}. ${first === undefined ? reason : referTo(first, id)}`;
}

function referTo(first: string, id: string): string {
  return first === id ? "The reason was given before." : `The reason is the same as for ${printable(first, 80)}.`;
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
