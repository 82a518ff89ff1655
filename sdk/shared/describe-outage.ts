import { printable } from "../client/printable.ts";

/** An outage in which the recorded settings of a resource are used. */
export interface Outage {
  /** When they were first read. */
  readonly lastReadAt: unknown;
  readonly reason: string;
}

/** Returns the warning about an outage. */
export function describeOutage(id: string, { lastReadAt, reason }: Outage): string {
  const which = isDate(lastReadAt)
    ? `the recorded settings, which were first read ${ageOf(lastReadAt)}`
    : "the recorded settings";
  return `AgentLogConfig ${printable(id, 80)} uses ${which}. ${reason}`;
}

/** Returns the warning about an outage that concerns several resources of a fleet. */
export function describeFleetOutage(outages: readonly Outage[], total: number): string {
  const [oldest] = outages
    .map(({ lastReadAt }) => lastReadAt)
    .filter(isDate)
    .sort();
  const age = oldest === undefined ? "" : `, of which the oldest were first read ${ageOf(oldest)}`;
  return `${outages.length} of ${total} use the recorded settings${age}. ${outages[0]?.reason}`;
}

/** A state may have been edited, and Date.parse takes anything in parentheses. */
function isDate(value: unknown): value is string {
  return typeof value === "string" && /^[\d:.TZ-]+$/.test(value) && !Number.isNaN(Date.parse(value));
}

function ageOf(time: string): string {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 60_000));
  const hours = Math.floor(minutes / 60);
  const age = minutes < 120 ? `${minutes} min` : hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
  return `${minutes < 1 ? "less than a minute" : age} ago (${time})`;
}
