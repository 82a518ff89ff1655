import type { ExpectedLogRotate } from "pulumi-agent-log-config";

/** The thresholds that each service's projects should have, in megabytes and hours; null means that one must not be set. */
export const THRESHOLDS = {
  east: { sizeThresholdMB: { atMost: 1000 }, timeThresholdHrs: { atLeast: 1, atMost: 24 } },
  west: { sizeThresholdMB: { atMost: 500 }, numTotal: null },
} as const satisfies Readonly<Record<string, ExpectedLogRotate>>;
