import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Returns the bytes on the heap that are still in use after garbage collection. */
export async function heapInUse(): Promise<number> {
  collect();
  // Finalizers and what closes sockets run between two collections.
  await setTimeout(20);
  collect();
  return process.memoryUsage().heapUsed;
}

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
