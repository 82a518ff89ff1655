import { type Contender, PACES, type Pace } from "./contender.ts";
import { median, medianRatio } from "./measure-rounds.ts";
import type { Server } from "./start-server.ts";

/** Runs all contenders one after another, round by round, so that what disturbs the machine disturbs all of them. */
export async function race(
  contenders: readonly Contender[],
  limit: Contender,
  server: Server,
  rounds: number,
  reads: number,
) {
  const lanes = PACES.flatMap((pace) =>
    contenders.map((contender) => ({ contender, pace, samples: Array.of<Sample>() })),
  );
  // Round -1 is not counted: code that has not run often is slow.
  for (let round = -1; round < rounds; round += 1) {
    // No contender always runs behind the same one.
    for (const { contender, pace, samples } of round % 2 === 0 ? lanes : lanes.toReversed()) {
      const sample = await runOne(contender, server, reads, pace);
      if (round >= 0) samples.push(sample);
    }
  }
  return lanes.map(({ contender, pace, samples }) => {
    const base = lanes.find((lane) => lane.contender === limit && lane.pace === pace)?.samples ?? [];
    const middle = (of: (sample: Sample) => number) => median(samples.map(of));
    const ratio = (of: (sample: Sample) => number) => medianRatio(base.map(of), samples.map(of));
    return {
      contender,
      pace,
      readsPerSecond: reads / middle(({ seconds }) => seconds),
      speedRatio: ratio(({ seconds }) => seconds),
      cpuMicrosecondsPerRead: (middle(({ cpuSeconds }) => cpuSeconds) / reads) * 1e6,
      cpuRatio: ratio(({ cpuSeconds }) => cpuSeconds),
      requestsPerRead: middle(({ requests }) => requests) / reads,
    };
  });
}

/** All rounds of one contender at one pace. Ratios are those to the limit; a CPU time that is not known is NaN. */
export type Standing = Awaited<ReturnType<typeof race>>[number];
type Sample = Awaited<ReturnType<typeof runOne>>;

async function runOne(contender: Contender, server: Server, reads: number, pace: Pace) {
  // Reads before those that count, which open connections
  const warmUp = 64;
  await contender.prepare?.(warmUp + reads);
  await contender.run(warmUp, pace);
  await server.countRequests();
  const [start, startCpu] = [performance.now(), process.cpuUsage()];
  await contender.run(reads, pace);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(startCpu);
  const cpuSeconds = contender.hasOwnProcess ? Number.NaN : (user + system) / 1e6;
  return { seconds, cpuSeconds, requests: await server.countRequests() };
}
