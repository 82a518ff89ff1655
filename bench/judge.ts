import type { RequestCount } from "./count-requests.ts";
import type { Goal } from "./goal.ts";
import type { HeapUse } from "./measure-memory.ts";
import type { Standing } from "./standing.ts";

/** Bytes that two measurements of a heap at rest may differ by. */
const HEAP_NOISE = 1_000_000;

export function judgeRequests({ what, reads, requests, reach, failures }: RequestCount): Goal {
  const ended = failures === 0 ? "" : `${failures} of ${reads} reads failed`;
  const missed = requests <= reach ? ended : `by ${(requests - reach).toFixed(0)} requests; ${ended}`;
  return {
    what: `${reads} reads, ${what}`,
    measured: `${requests} requests`,
    reach: `at most ${Math.floor(reach)}`,
    missed: missed === "" ? undefined : missed,
  };
}

/** @param where the rest of the time goes */
export function judgeSpeed(what: string, { ratio, readsPerSecond }: Standing, reach: number, where: string): Goal {
  const microseconds = (1e6 / readsPerSecond) * (1 - ratio);
  return {
    what,
    measured: ratio.toFixed(3),
    reach: `at least ${reach.toFixed(2)}`,
    missed:
      ratio >= reach
        ? undefined
        : `by ${(reach - ratio).toFixed(3)}: each read takes ${microseconds.toFixed(1)} µs more, ${where}`,
  };
}

export function judgeMemory({ name, reads, before, halfway, after }: HeapUse): Goal {
  const growth = after - before;
  return {
    what: `Heap in use before, halfway through and after ${reads} reads, ${name}`,
    measured: [before, halfway, after].map(megabytes).join(", "),
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
