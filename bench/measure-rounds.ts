/**
 * Runs all of them one after another, round by round, so that what disturbs the machine disturbs all of them, and prints
 * the medians. A first round, which warms up, is not counted.
 * @returns a line of a table for each: what it is, the seconds, and how many times as long as the first it takes
 */
export async function measureRounds(
  rounds: number,
  all: readonly { what: string; goal?: string; prepare?(): Promise<void>; run(): Promise<void> }[],
): Promise<readonly string[]> {
  const lanes = all.map((measured) => ({ ...measured, seconds: Array.of<number>() }));
  for (let round = -1; round < rounds; round += 1) {
    for (const { prepare, run, seconds } of lanes) {
      await prepare?.();
      const started = performance.now();
      await run();
      if (round >= 0) seconds.push((performance.now() - started) / 1000);
    }
  }
  const base = lanes[0]?.seconds ?? [];
  for (const { what, goal, seconds } of lanes) {
    const parts = [
      `${what}: ${median(seconds).toFixed(2)} s (least ${Math.min(...seconds).toFixed(2)})`,
      ...(base === seconds ? [] : [`${medianRatio(seconds, base).toFixed(3)} times the first`]),
      ...(goal === undefined ? [] : [`goal ${goal}`]),
    ];
    process.stdout.write(`${parts.join("; ")}\n`);
  }
  return lanes.map(({ what, seconds }) => {
    const ratio = base === seconds ? "" : medianRatio(seconds, base).toFixed(2);
    return `| ${what} | ${median(seconds).toFixed(2)} | ${ratio} |`;
  });
}

/** The middle of the values; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [below = Number.NaN, above = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (below + above) / 2;
}

/** The median of each round's own ratio. */
export function medianRatio(values: readonly number[], bases: readonly number[]): number {
  return median(values.map((value, round) => value / (bases[round] ?? Number.NaN)));
}
