import { printable } from "../client/printable.ts";

/** An outage in which the recorded settings of a resource are used. */
export interface Outage {
  /** When they were first read. */
  readonly lastReadAt: unknown;
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
export function describeOutage(id: string, { lastReadAt, reason, cause }: Outage, told: ToldOutages): string {
  const first = told.get(cause) ?? id;
  told.set(cause, first);
  const which = isDate(lastReadAt)
    ? `the recorded settings, which were first read ${ageOf(lastReadAt)}`
    : "the recorded settings";
  const why = first === id ? reason : `The reason is the same as for ${printable(first, 80)}.`;
  return `AgentLogConfig ${printable(id, 80)} uses ${which}. ${why}`;
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
