import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type Contender, client, interceptor } from "./contender.ts";
import { heapInUse } from "./heap-in-use.ts";
import { type Protection, type Server, USES_OF_A_NONCE } from "./start-server.ts";

/** A figure to reach, and what was measured. */
export interface Goal {
  readonly what: string;
  readonly measured: string;
  readonly reach: string;
  readonly reached: boolean;
}

type Case = [what: string, protection: Protection, bursts: number, reads: number, atATime: 1 | 16, most: number];

/** Counts the requests that the server sees for this many reads with the interceptor, on connections without a nonce. */
export async function countRequests(server: Server, reads: number): Promise<readonly Goal[]> {
  const cases: readonly Case[] = [
    ["one at a time", "shared", 1, reads, 1, reads + Math.ceil(reads / USES_OF_A_NONCE)],
    ["a first burst of 16", "shared", 1, 16, 16, 16 + 16],
    ["50 bursts of 16", "shared", 50, 16, 16, 800 + 16],
    ["16 at a time, nonces good for one request, the next one announced", "once", 1, reads, 16, reads + 16],
    ["16 at a time, counts strictly in order", "strict", 1, reads, 16, reads + 16],
  ];
  const goals: Goal[] = [];
  for (const [what, protection, bursts, reads, atATime, most] of cases) {
    const contender = interceptor(server, protection, atATime);
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

/** Counts what a read of a client that is made for it costs: each connection is a TCP and a TLS handshake. */
export async function countFreshRead(server: Server): Promise<readonly Goal[]> {
  let connections = 0;
  const count = () => {
    connections += 1;
  };
  subscribe("undici:client:connected", count);
  await server.countRequests();
  await client(server).run(1, 1);
  const requests = await server.countRequests();
  unsubscribe("undici:client:connected", count);
  return [
    { what: "Connections of a fresh read", measured: `${connections}`, reach: "1", reached: connections === 1 },
    {
      what: "Round trips of a fresh read: TCP, TLS, and each request",
      measured: `${2 * connections + requests}`,
      reach: "4",
      reached: 2 * connections + requests === 4,
    },
  ];
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
