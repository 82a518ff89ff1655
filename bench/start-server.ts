import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Certificate } from "./create-certificate.ts";
import type { Protection, Question } from "./server.ts";

/** The server that everybody reads from. */
export interface Server {
  readonly origin: string;
  /** Counts requests from 0 again. */
  reset(): Promise<void>;
  /** Requests since the last reset, those that were refused among them. */
  count(): Promise<number>;
  /** Fresh nonces, without a request. */
  nonces(amount: number): Promise<readonly string[]>;
  close(): void;
}

export const PROJECT_ID = "0123456789abcdef01234567";

/** What to request, under this protection. */
export function pathOf(protection: Protection): string {
  return `/${protection}/api/public/v1.0/groups/${PROJECT_ID}/automationConfig/monitoringAgentConfig`;
}

export async function startServer({ keyFile, certificateFile }: Certificate): Promise<Server> {
  const child = fork(fileURLToPath(new URL("server.ts", import.meta.url)), [keyFile, certificateFile]);
  let open = true;
  child.on("exit", () => {
    if (open) throw new Error("The server of the benchmark has ended.");
  });
  const [port]: unknown[] = await once(child, "message");
  const ask = async (question: Question): Promise<unknown> => {
    child.send(question);
    const [answer]: unknown[] = await once(child, "message");
    return answer;
  };
  return {
    origin: `https://127.0.0.1:${port}`,
    async reset() {
      await ask("reset");
    },
    async count() {
      return z.number().parse(await ask("count"));
    },
    async nonces(amount) {
      return z.array(z.string()).parse(await ask({ nonces: amount }));
    },
    close() {
      open = false;
      child.kill();
    },
  };
}
