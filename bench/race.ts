import { CONNECTIONS, type Contender, type OpenContender } from "./contender.ts";
import { median } from "./measure-rounds.ts";
import type { Server } from "./start-server.ts";

export interface Contestant {
  readonly contender: Contender;
  /** 1 takes part in every round, 2 in every second one and so on. */
  readonly everyNthRound: number;
}

export interface Course {
  readonly rounds: number;
  /** How many reads each contender makes in a round, at each pace. */
  readonly reads: number;
}

export const PACES = ["oneAtATime", "sixteenAtATime"] as const;
export type Pace = (typeof PACES)[number];

interface Sample {
  readonly readsPerSecond: number;
  readonly cpuPerRead: number | undefined;
  readonly requestsPerRead: number;
  readonly failures: number;
}

/** By round; a round in which the contender did not take part has no sample. */
export interface Result extends Readonly<Record<Pace, readonly (Sample | undefined)[]>> {
  readonly name: string;
}

/** All rounds of one contender at one pace. */
export interface Standing {
  readonly name: string;
  readonly readsPerSecond: number;
  /** The median of the rounds' own ratios to the contender that it is compared with. */
  readonly ratio: number;
  /** In microseconds of the contender's process; NaN if it is not known. */
  readonly cpuPerRead: number;
  /** The same ratio by CPU time. */
  readonly cpuRatio: number;
  readonly requestsPerRead: number;
  readonly failures: number;
  readonly reads: number;
}

/** Runs all contenders one after another, round by round, so that what disturbs the machine disturbs all of them. */
export async function race(
  contestants: readonly Contestant[],
  server: Server,
  { rounds, reads }: Course,
): Promise<readonly Result[]> {
  const results = contestants.map(({ contender }) => ({
    name: contender.name,
    oneAtATime: new Array<Sample | undefined>(rounds),
    sixteenAtATime: new Array<Sample | undefined>(rounds),
  }));
  const kept = new Map<Contender, OpenContender>();
  // Round -1 is not counted: code that has not run often is slow.
  for (let round = -1; round < rounds; round += 1) {
    for (const pace of PACES) {
      const entries = [...contestants.entries()].filter(([, each]) => Math.max(round, 0) % each.everyNthRound === 0);
      // No contender always runs behind the same one.
      for (const [index, { contender }] of round % 2 === 0 ? entries : entries.reverse()) {
        if (round < 0 && contender.opensForEveryRun) continue;
        const sample = await runOne(contender, kept, server, reads, pace === "oneAtATime" ? 1 : CONNECTIONS);
        const result = results[index];
        if (round >= 0 && result !== undefined) result[pace][round] = sample;
      }
    }
  }
  for (const open of kept.values()) await open.close();
  return results;
}

async function runOne(
  contender: Contender,
  kept: Map<Contender, OpenContender>,
  server: Server,
  reads: number,
  atATime: number,
): Promise<Sample> {
  try {
    const open = kept.get(contender) ?? (await contender.open(server));
    if (!contender.opensForEveryRun) kept.set(contender, open);
    // Reads before those that count, which open connections; few, because some peers fail for good after some hundred.
    const warmUp = 4 * CONNECTIONS;
    await open.prepare?.(warmUp + reads);
    await open.run(warmUp, atATime);
    await server.reset();
    const { seconds, cpuSeconds, succeeded } = await open.run(reads, atATime);
    const requests = await server.count();
    if (contender.opensForEveryRun) await open.close();
    return {
      readsPerSecond: succeeded / seconds,
      cpuPerRead: cpuSeconds === undefined || succeeded === 0 ? undefined : (cpuSeconds / succeeded) * 1e6,
      requestsPerRead: requests / reads,
      failures: reads - succeeded,
    };
  } catch (error) {
    process.stderr.write(`${contender.name} failed: ${error}\n`);
    return { readsPerSecond: 0, cpuPerRead: undefined, requestsPerRead: Number.NaN, failures: reads };
  }
}

export function standing(result: Result, comparedWith: Result, pace: Pace, readsPerRound: number): Standing {
  const samples = result[pace].filter((sample) => sample !== undefined);
  const middle = (of: (sample: Sample, base: Sample | undefined) => number | undefined) => {
    const values = result[pace].map((sample, round) => sample && of(sample, comparedWith[pace][round]));
    return median(values.filter((value) => value !== undefined && Number.isFinite(value)).map(Number));
  };
  return {
    name: result.name,
    readsPerSecond: middle((sample) => sample.readsPerSecond),
    ratio: middle((sample, base) => base && sample.readsPerSecond / base.readsPerSecond),
    cpuPerRead: middle((sample) => sample.cpuPerRead),
    cpuRatio: middle((sample, base) => base?.cpuPerRead && sample.cpuPerRead && base.cpuPerRead / sample.cpuPerRead),
    requestsPerRead: middle((sample) => sample.requestsPerRead),
    failures: samples.reduce((sum, { failures }) => sum + failures, 0),
    reads: samples.length * readsPerRound,
  };
}
