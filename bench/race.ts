import { collectGarbage } from "./collect-garbage.ts";
import { CONNECTIONS } from "./connections.ts";
import type { Contender, OpenContender } from "./contender.ts";
import type { Server } from "./start-server.ts";

export interface Contestant {
  readonly contender: Contender;
  /** Takes part in every round, in every second one and so on. */
  readonly everyNthRound: number;
}

export interface Course {
  readonly rounds: number;
  /** Of each kind, in each round. */
  readonly reads: number;
}

export interface Sample {
  readonly readsPerSecond: number;
  readonly requestsPerRead: number;
  readonly failures: number;
}

export interface Result {
  readonly name: string;
  /** By round; undefined in those in which it did not take part. */
  readonly oneAtATime: readonly (Sample | undefined)[];
  readonly sixteenAtATime: readonly (Sample | undefined)[];
}

/** Lets all run one after another, round by round, so that what disturbs the machine disturbs everybody alike. */
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
  for (let round = 0; round < rounds; round += 1) {
    const entries = [...contestants.entries()];
    // Nobody always runs behind the same one.
    for (const [index, { contender, everyNthRound }] of round % 2 === 0 ? entries : entries.reverse()) {
      if (round % everyNthRound !== 0) continue;
      const result = results[index];
      if (result === undefined) continue;
      result.oneAtATime[round] = await runOne(contender, kept, server, reads, 1);
      result.sixteenAtATime[round] = await runOne(contender, kept, server, reads, CONNECTIONS);
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
  await collectGarbage();
  try {
    const open = kept.get(contender) ?? (await contender.open(server));
    if (!contender.opensForEveryRun) kept.set(contender, open);
    const sample = await run(
      open,
      server,
      reads,
      atATime,
      contender.opensForEveryRun ? 4 * CONNECTIONS : 32 * CONNECTIONS,
    );
    if (contender.opensForEveryRun) await open.close();
    return sample;
  } catch (error) {
    process.stderr.write(`${contender.name} failed: ${error}\n`);
    return { readsPerSecond: 0, requestsPerRead: Number.NaN, failures: reads };
  }
}

/** @param warmUp reads before those that count; few for peers, some of which fail for good after some hundred */
async function run(
  open: OpenContender,
  server: Server,
  reads: number,
  atATime: number,
  warmUp: number,
): Promise<Sample> {
  await open.prepare?.(warmUp + reads);
  await open.run(warmUp, atATime);
  await server.reset();
  const { seconds, succeeded } = await open.run(reads, atATime);
  const requests = await server.count();
  return { readsPerSecond: succeeded / seconds, requestsPerRead: requests / reads, failures: reads - succeeded };
}
