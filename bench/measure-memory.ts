import { collectGarbage } from "./collect-garbage.ts";
import { CONNECTIONS } from "./connections.ts";
import type { Contender } from "./contender.ts";
import type { Server } from "./start-server.ts";

/** What is in use on the heap, in bytes, garbage collected. */
export interface HeapUse {
  readonly name: string;
  readonly reads: number;
  readonly before: number;
  readonly halfway: number;
  readonly after: number;
}

export async function measureMemory(contender: Contender, server: Server, reads: number): Promise<HeapUse> {
  const open = await contender.open(server);
  const use = async (reads: number) => {
    await open.run(reads, CONNECTIONS);
    await collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  // The code itself, compiled, and the connections are there from here on.
  const before = await use(2000);
  // In parts, so that no part reaches the deadline of a run.
  const part = async () => {
    let last = before;
    for (let index = 0; index < 5; index += 1) last = await use(reads / 10);
    return last;
  };
  const halfway = await part();
  const after = await part();
  await open.close();
  return { name: contender.name, reads, before, halfway, after };
}
