import type { Outcome } from "./contender.ts";

/** No run of a contender that works takes longer; reads that have not ended by then have failed. */
const DEADLINE_MILLISECONDS = 30_000;

/** Reads that often, with that many under way at once. A read that fails does not stop the others. */
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
  const start = performance.now();
  await Promise.race([Promise.all(Array.from({ length: atATime }, reader)), deadline]);
  const seconds = (performance.now() - start) / 1000;
  clearTimeout(timer);
  return { seconds, succeeded };
}

function hasSettings(body: unknown): boolean {
  return typeof body === "object" && body !== null && "logPath" in body && typeof body.logPath === "string";
}
