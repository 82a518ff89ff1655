import { median } from "./median.ts";
import type { Result, Sample } from "./race.ts";

/** What all rounds of one contender come to, at one number of reads at a time. */
export interface Standing {
  readonly name: string;
  readonly readsPerSecond: number;
  /** Median of the rounds' own ratios to the contender that it is compared with. */
  readonly ratio: number;
  readonly requestsPerRead: number;
  readonly failures: number;
  readonly reads: number;
}

export type Pace = "oneAtATime" | "sixteenAtATime";

export function standing(result: Result, comparedWith: Result, pace: Pace, readsPerRound: number): Standing {
  const samples = result[pace].filter((sample) => sample !== undefined);
  const ratios = result[pace].map((sample, round) => ratioOf(sample, comparedWith[pace][round]));
  return {
    name: result.name,
    readsPerSecond: median(samples.map((sample) => sample.readsPerSecond)),
    ratio: median(ratios.filter((ratio) => ratio !== undefined)),
    requestsPerRead: median(samples.map((sample) => sample.requestsPerRead)),
    failures: samples.reduce((sum, { failures }) => sum + failures, 0),
    reads: samples.length * readsPerRound,
  };
}

function ratioOf(sample: Sample | undefined, base: Sample | undefined): number | undefined {
  return sample === undefined || base === undefined ? undefined : sample.readsPerSecond / base.readsPerSecond;
}
