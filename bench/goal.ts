/** A figure to reach, and what came of it. */
export interface Goal {
  readonly what: string;
  readonly measured: string;
  readonly reach: string;
  /** Undefined where it was reached; otherwise by how much not, and where the rest goes. */
  readonly missed: string | undefined;
}
