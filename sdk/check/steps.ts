/** The steps of one read, in the order in which they are taken. */
export const STEPS = [
  "settings",
  "name",
  "connection",
  "TLS",
  "challenge",
  "key",
  "role",
  "monitoring",
  "backup",
] as const;

export type StepName = (typeof STEPS)[number];

/** The steps that every project has in common. */
export const CONNECTION_STEPS = STEPS.slice(0, STEPS.indexOf("role"));

/** The result of one step. */
export interface Step {
  readonly step: StepName;
  /** `ok`: the step succeeded. `not asked for`: the server or its address does not need it. */
  readonly status: "ok" | "failed" | "not asked for" | "not reached";
  /** What was found, or what is wrong and what to do about it. */
  readonly message: string;
  /** The code of the error, where the step failed. */
  readonly code?: string;
  /** What is wrong beside the outcome of the step, and what to do about it. */
  readonly warning?: string;
}
