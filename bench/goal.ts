import { type Contender, interceptor } from "./contender.ts";
import { heapInUse } from "./heap-in-use.ts";
import { type Protection, type Server, USES_OF_A_NONCE } from "./start-server.ts";

/** A figure to reach, and what was measured. */
export interface Goal {
  readonly what: string;
  readonly measured: string;
  readonly reach: string;
  readonly reached: boolean;
}

type Case = [what: string, protection: Protection, bursts: number, reads: number, atATime: number, most: number];

/** Counts the requests that the server sees for this many reads with the interceptor, on a cold session. */
export async function countRequests(server: Server, reads: number): Promise<readonly Goal[]> {
  const cases: readonly Case[] = [
    ["one at a time", "shared", 1, reads, 1, reads + Math.ceil(reads / USES_OF_A_NONCE)],
    ["a first burst of 16", "shared", 1, 16, 16, 17],
    ["50 bursts of 16", "shared", 50, 16, 16, 801],
    ["16 at a time, nonces good for one request, the next one announced", "once", 1, reads, 16, 1.05 * reads],
    ["16 at a time, counts strictly in order", "strict", 1, reads, 16, 1.08 * reads],
  ];
  const goals: Goal[] = [];
  for (const [what, protection, bursts, reads, atATime, most] of cases) {
    const contender = interceptor(server, protection);
    await server.countRequests();
    for (let burst = 0; burst < bursts; burst += 1) await contender.run(reads, atATime);
    const requests = await server.countRequests();
    goals.push({
      what: `${bursts * reads} reads, ${what}`,
      measured: `${requests} requests`,
      reach: `at most ${Math.floor(most)}`,
      reached: requests <= most,
    });
  }
  return goals;
}

/** Measures the heap in use, after garbage collection, before, halfway through and after this many reads. */
export async function measureHeap(contender: Contender, reads: number): Promise<Goal> {
  // Compiled code and connections are in use after the first of the runs.
  const heapMB: number[] = [];
  for (const run of [2000, reads / 2, reads / 2]) {
    await contender.run(run, 16);
    heapMB.push((await heapInUse()) / 1e6);
  }
  const [before = Number.NaN, , after = Number.NaN] = heapMB;
  return {
    what: `Heap in use before, halfway through and after ${reads} reads, ${contender.name}`,
    measured: heapMB.map((value) => `${value.toFixed(1)} MB`).join(", "),
    reach: "growth below 1.0 MB",
    reached: after - before < 1,
  };
}
