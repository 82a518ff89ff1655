import type { ExpectedSettings } from "pulumi-agent-log-config";

/** What the projects of each service should have, in megabytes and hours. */
export const EXPECTED = {
  east: { logRotate: { sizeThresholdMB: { atMost: 1000 }, timeThresholdHrs: { atLeast: 1, atMost: 24 } } },
  west: { logRotate: { sizeThresholdMB: { atMost: 500 } }, notSet: ["logRotate.numTotal"] },
} as const satisfies Readonly<Record<string, ExpectedSettings>>;
