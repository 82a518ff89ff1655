import { CONNECTIONS } from "./connections.ts";
import type { Protection } from "./server.ts";
import type { Server } from "./start-server.ts";
import { interceptor } from "./undici-contenders.ts";

/** How many requests the server saw for a number of reads with ours, none of them made before. */
export interface RequestCount {
  readonly what: string;
  readonly reads: number;
  readonly requests: number;
  /** The most that are allowed. */
  readonly reach: number;
  readonly failures: number;
}

export async function countRequests(server: Server, reads: number): Promise<readonly RequestCount[]> {
  const bursts = 50;
  const count = async (what: string, protection: Protection, runs: number, perRun: number, atATime: number) => {
    const open = await interceptor(protection).open(server);
    await server.reset();
    let succeeded = 0;
    for (let run = 0; run < runs; run += 1) succeeded += (await open.run(perRun, atATime)).succeeded;
    const requests = await server.count();
    await open.close();
    return { what, reads: runs * perRun, requests, failures: runs * perRun - succeeded };
  };
  const [once, strict] = [`${CONNECTIONS} at a time, nonces good for one request`, "counts strictly in order"];
  return [
    { ...(await count("one at a time", "shared", 1, reads, 1)), reach: reads + Math.ceil(reads / 1023) },
    { ...(await count("a first burst of 16", "shared", 1, 16, 16)), reach: 17 },
    { ...(await count(`${bursts} bursts of 16`, "shared", bursts, 16, 16)), reach: bursts * 16 + 1 },
    { ...(await count(`${once}, the next one announced`, "once", 1, reads, CONNECTIONS)), reach: 1.05 * reads },
    { ...(await count(`${CONNECTIONS} at a time, ${strict}`, "strict", 1, reads, CONNECTIONS)), reach: 1.08 * reads },
  ];
}
