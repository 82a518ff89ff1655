import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Agent, type Dispatcher } from "undici";
import { closeAfterTest, digestFor, openConnections, readStatus } from "../digest/digest-agent.ts";
import { CERTIFICATE_FILE, type ServerProcess } from "./server-process.ts";

const TRUSTING = { connect: { ca: readFileSync(CERTIFICATE_FILE, "utf8") } };

/** An agent that knows the servers' certificate. */
export function openTlsAgent(...interceptors: readonly Dispatcher.DispatcherComposeInterceptor[]): Dispatcher {
  return closeAfterTest(new Agent(TRUSTING)).compose(...interceptors);
}

/** Connections that know the servers' certificate and have a session each. */
export function openTlsConnections(server: ServerProcess): Dispatcher {
  return openConnections(server, TRUSTING);
}

/** Stops the server once no connection is left, and gives its access log. */
export async function logOf(server: ServerProcess, dispatcher: Dispatcher): Promise<readonly string[]> {
  await dispatcher.destroy();
  return await server.stop();
}

const LOST_CONNECTIONS = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** Restarts the server halfway through reads at 16 at a time, and gives the statuses of those that failed. */
export async function failuresThroughRestart(server: ServerProcess, path: string, reads: number): Promise<number[]> {
  const agent = openTlsAgent(digestFor(server));
  let [left, restarted] = [reads, Promise.resolve()];
  const failed: number[] = [];
  const reader = async () => {
    while (left > 0) {
      left -= 1;
      if (left === reads / 2) restarted = server.restart();
      const status = await readThroughLosses(agent, `${server.origin}${path}`);
      if (status !== 200) failed.push(status);
    }
  };
  await Promise.all(Array.from({ length: 16 }, reader));
  await restarted;
  return failed;
}

/** The status of one read, which is made again where the connection was lost. */
export async function readThroughLosses(dispatcher: Dispatcher, url: string): Promise<number> {
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
