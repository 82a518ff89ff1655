import type { AgentLogConfigClient } from "../../sdk/client/index.ts";
import { LOG_PATH, MONITORING } from "./open-client.ts";

/** Reads that are under way at once: as many as the client has connections. */
export const AT_ONCE = 16;

const LONG_LIVED = new AbortController();

/** Reads so many times, {@link AT_ONCE} at a time; what came of the reads that did not give the settings. */
export async function runReads(client: AgentLogConfigClient, reads: number): Promise<readonly unknown[]> {
  const lost: unknown[] = [];
  // One signal for all, as that of a server that shuts down: nothing of a read may stay with it.
  const { signal } = LONG_LIVED;
  let begun = 0;
  const readInTurn = async () => {
    while (begun < reads) {
      begun += 1;
      const outcome: unknown = await client.get(MONITORING, { signal }).catch((error: unknown) => error);
      const whole = typeof outcome === "object" && outcome !== null && "logPath" in outcome;
      if (!whole || outcome.logPath !== LOG_PATH) lost.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readInTurn));
  return lost;
}
