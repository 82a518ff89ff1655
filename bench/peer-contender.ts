import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Contender } from "./contender.ts";
import type { Order } from "./peer-process.ts";

const outcome = z.object({ seconds: z.number(), succeeded: z.number() });
const file = fileURLToPath(new URL("peer-process.ts", import.meta.url));

/** One of the packages in `peers/`, each time in a new process, since some count for all of their process. */
export function peerContender(packageName: string, version: string, certificateFile: string): Contender {
  return {
    name: `${packageName} ${version}`,
    opensForEveryRun: true,
    async open({ origin }) {
      const peer = fork(file, [packageName, certificateFile, origin]);
      const ended = new AbortController();
      peer.once("exit", () => ended.abort());
      const answer = async (): Promise<unknown> => {
        const [message]: unknown[] = await once(peer, "message", { signal: ended.signal });
        return message;
      };
      await answer();
      return {
        async run(reads, atATime) {
          const order: Order = { reads, atATime };
          peer.send(order);
          return outcome.parse(await answer());
        },
        async close() {
          peer.kill();
        },
      };
    },
  };
}
