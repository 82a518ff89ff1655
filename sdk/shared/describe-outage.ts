/** Returns the warning about an outage in which the recorded settings are used. */
export function describeOutage(id: string, lastReadAt: unknown, reason: string): string {
  const isDate = typeof lastReadAt === "string" && !Number.isNaN(Date.parse(lastReadAt));
  const which = isDate ? `the settings that were read ${ageOf(lastReadAt)} (${lastReadAt})` : "the recorded settings";
  return `AgentLogConfig ${id} uses ${which}. ${reason}`;
}

function ageOf(time: string): string {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 60_000));
  if (minutes < 1) return "less than a minute ago";
  if (minutes < 120) return `${minutes} min ago`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`;
}
