import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Agent, type Dispatcher } from "undici";
import { closeAfterTest, readStatus } from "../digest/digest-agent.ts";
import { CERTIFICATE_FILE, type ServerProcess } from "./server-process.ts";

/** An agent that knows the servers' certificate. */
export function openTlsAgent(...interceptors: readonly Dispatcher.DispatcherComposeInterceptor[]): Dispatcher {
  const agent = new Agent({ connect: { ca: readFileSync(CERTIFICATE_FILE, "utf8") } });
  return closeAfterTest(agent).compose(...interceptors);
}

/** Stops the server once no connection is left, and gives its access log. */
export async function logOf(server: ServerProcess, dispatcher: Dispatcher): Promise<readonly string[]> {
  await dispatcher.destroy();
  return await server.stop();
}

const LOST_CONNECTIONS = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** The status of one read, which is made again where the connection was lost. */
export async function readThroughRestarts(dispatcher: Dispatcher, url: string): Promise<number> {
  for (;;) {
    try {
      return await readStatus(dispatcher, url);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (typeof code !== "string" || !LOST_CONNECTIONS.has(code)) throw error;
      await setTimeout(10);
    }
  }
}
