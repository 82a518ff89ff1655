import { CONNECTIONS, type Contender } from "./contender.ts";
import { heapInUse } from "./heap-in-use.ts";
import type { Standing } from "./race.ts";
import type { Protection, Server } from "./start-server.ts";
import { interceptor } from "./undici-contenders.ts";

/** A figure to reach, and what was measured. */
export interface Goal {
  readonly what: string;
  readonly measured: string;
  readonly reach: string;
  /** By how much it was missed, and where the rest goes; undefined if it was reached. */
  readonly missed: string | undefined;
}

const BURSTS = 50;
const ONCE = "nonces good for one request, the next one announced";

/** Counts the requests that the server sees for a number of reads with the interceptor, on a cold session. */
export async function countRequests(server: Server, reads: number): Promise<readonly Goal[]> {
  const count = async (
    what: string,
    protection: Protection,
    runs: number,
    perRun: number,
    atATime: number,
    reach: number,
  ) => {
    const open = await interceptor(protection).open(server);
    await server.reset();
    let failures = runs * perRun;
    for (let run = 0; run < runs; run += 1) failures -= (await open.run(perRun, atATime)).succeeded;
    const requests = await server.count();
    await open.close();
    const problems = [
      ...(requests <= reach ? [] : [`by ${(requests - reach).toFixed(0)} requests`]),
      ...(failures === 0 ? [] : [`${failures} of ${runs * perRun} reads failed`]),
    ];
    return {
      what: `${runs * perRun} reads, ${what}`,
      measured: `${requests} requests`,
      reach: `at most ${Math.floor(reach)}`,
      missed: problems.length === 0 ? undefined : problems.join("; "),
    };
  };
  return [
    await count("one at a time", "shared", 1, reads, 1, reads + Math.ceil(reads / 1023)),
    await count("a first burst of 16", "shared", 1, 16, 16, 17),
    await count(`${BURSTS} bursts of 16`, "shared", BURSTS, 16, 16, BURSTS * 16 + 1),
    await count(`${CONNECTIONS} at a time, ${ONCE}`, "once", 1, reads, CONNECTIONS, 1.05 * reads),
    await count(`${CONNECTIONS} at a time, counts strictly in order`, "strict", 1, reads, CONNECTIONS, 1.08 * reads),
  ];
}

/** @param where the rest of the time goes */
export function judgeSpeed(
  what: string,
  { ratio, cpuRatio, cpuPerRead }: Standing,
  reach: number,
  where: string,
): Goal {
  const microseconds = cpuPerRead * (1 - cpuRatio);
  return {
    what,
    measured: `${ratio.toFixed(3)}, by CPU ${cpuRatio.toFixed(3)}`,
    reach: `at least ${reach.toFixed(2)}`,
    missed:
      ratio >= reach
        ? undefined
        : `by ${(reach - ratio).toFixed(3)}: each read takes ${microseconds.toFixed(1)} µs more CPU, ${where}`,
  };
}

/** How much two measurements of a heap at rest may differ, in bytes. */
const HEAP_NOISE = 1_000_000;

/** Measures the heap in use, after garbage collection, before, halfway through and after so many reads. */
export async function measureMemory(contender: Contender, server: Server, reads: number): Promise<Goal> {
  const open = await contender.open(server);
  const use = async (reads: number) => {
    await open.run(reads, CONNECTIONS);
    return heapInUse();
  };
  // Compiled code and connections are in use from here on.
  const before = await use(2000);
  // A tenth at a time, so that no run reaches its deadline
  const heap = [before];
  for (let part = 0; part < 10; part += 1) heap.push(await use(reads / 10));
  await open.close();
  const growth = (heap.at(-1) ?? Number.NaN) - before;
  return {
    what: `Heap in use before, halfway through and after ${reads} reads, ${contender.name}`,
    measured: [0, 5, 10].map((part) => megabytes(heap[part] ?? Number.NaN)).join(", "),
    reach: `growth below ${megabytes(HEAP_NOISE)}`,
    missed:
      growth < HEAP_NOISE
        ? undefined
        : `by ${megabytes(growth - HEAP_NOISE)}, ${(growth / reads).toFixed(0)} bytes a read`,
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
