import type { Server } from "./start-server.ts";

/** How many connections are open at once, and how many reads are under way if it is more than one. */
export const CONNECTIONS = 16;

/** One way to read from a server behind Digest. */
export interface Contender {
  readonly name: string;
  /** Set if a contender changes with use, so that every run opens it anew. Others are opened once, as in a program. */
  readonly opensForEveryRun?: true;
  open(server: Server): Promise<OpenContender>;
}

export interface OpenContender {
  /** Prepares what a run of so many reads needs. */
  prepare?(reads: number): Promise<void>;
  run(reads: number, atATime: number): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Outcome {
  readonly seconds: number;
  /** The CPU time of the contender's process; undefined if it is not known. */
  readonly cpuSeconds?: number | undefined;
  /** How many reads ended with the settings. */
  readonly succeeded: number;
}

/** No run of a contender that works takes longer. Reads that have not ended by then have failed. */
const DEADLINE_MILLISECONDS = 30_000;

/** Reads so often, with so many reads under way at once. A read that fails does not stop the others. */
export async function runReads(read: () => Promise<unknown>, reads: number, atATime: number): Promise<Outcome> {
  let begun = 0;
  let succeeded = 0;
  const reader = async (): Promise<void> => {
    while (begun < reads) {
      begun += 1;
      try {
        if (hasSettings(await read())) succeeded += 1;
      } catch {
        // It is missing in the number that succeeded.
      }
    }
  };
  const { promise: deadline, resolve: stop } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    begun = reads;
    stop();
  }, DEADLINE_MILLISECONDS);
  const [start, startCpu] = [performance.now(), process.cpuUsage()];
  await Promise.race([Promise.all(Array.from({ length: atATime }, reader)), deadline]);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(startCpu);
  clearTimeout(timer);
  return { seconds, cpuSeconds: (user + system) / 1e6, succeeded };
}

function hasSettings(body: unknown): boolean {
  return typeof body === "object" && body !== null && "logPath" in body && typeof body.logPath === "string";
}
