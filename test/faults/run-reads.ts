import diagnosticsChannel from "node:diagnostics_channel";
import { Socket } from "node:net";
import { expect, onTestFinished, vi } from "vitest";
import type { AgentLogConfigClient } from "../../sdk/client/index.ts";
import type { Service } from "../../sdk/testing/index.ts";
import { LOG_PATH, MONITORING, openClient } from "../client/open-client.ts";
import { CA_FILE } from "../client/test-certificate.ts";

/** Reads that are under way at once: as many as the client has connections. */
export const AT_ONCE = 16;

/** A client that repeats as often as it can within its 30 seconds, after the shortest pauses. */
export function openPatientClient(service: Pick<Service, "baseUrl">): AgentLogConfigClient {
  vi.spyOn(Math, "random").mockReturnValue(1);
  return openClient(service, { caCertificate: CA_FILE, maxRetries: 10 });
}

// One signal for all, as that of a server that shuts down: nothing of a read may stay with it.
const { signal } = new AbortController();

/** Reads so many times, {@link AT_ONCE} at a time, each time with success. */
export async function runReads(client: AgentLogConfigClient, reads: number): Promise<void> {
  const lost: unknown[] = [];
  let begun = 0;
  const readInTurn = async () => {
    while (begun < reads) {
      begun += 1;
      const read = client.get(MONITORING, { signal }).then(({ logPath }) => logPath);
      const end = await read.catch((error: unknown) => error);
      if (end !== LOG_PATH) lost.push(end);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readInTurn));
  expect(lost).toEqual([]);
}

/** Returns what tells how many sockets are open of those that clients open from now on. */
export function watchSockets(): () => number {
  const sockets: Socket[] = [];
  const note = (message: unknown) => {
    const { socket } = message instanceof Object && "socket" in message ? message : {};
    if (socket instanceof Socket) sockets.push(socket);
  };
  diagnosticsChannel.subscribe("undici:client:connected", note);
  onTestFinished(() => void diagnosticsChannel.unsubscribe("undici:client:connected", note));
  return () => sockets.filter(({ destroyed }) => !destroyed).length;
}
