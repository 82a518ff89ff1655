import { createConnection, createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Service, ServiceOptions } from "../../sdk/testing/index.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { readBytes } from "../testing/read-bytes.ts";
import { MONITORING, openClient, openService, openSockets } from "./open-client.ts";
import { AT_ONCE, runReads } from "./run-reads.ts";

describe("a read whose first response is cut", () => {
  it.each<{ description: string; options: ServiceOptions; every: number }>([
    { description: "plain HTTP", options: {}, every: 1 },
    // The bytes are the same, and a handshake takes time.
    { description: "TLS", options: { tls: TLS }, every: 8 },
  ])("after any number of bytes gets the settings with the next one, over $description", async ({ options, every }) => {
    const sockets = openSockets();
    const length = await responseLength();
    const cuts = Array.from({ length: Math.floor(length / every) + 1 }, (_, index) => length - index * every);
    const batches = Array.from({ length: Math.ceil(cuts.length / AT_ONCE) }, (_, index) =>
      cuts.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
    );
    await runAtOnce(4, batches, async (batch) => {
      const service = await openService(options);
      const client = openClient(service, CA_FILE);
      expect(await runReads(client, 1)).toEqual([]);
      service.failNext(...batch.map((cutAfterBytes) => ({ cutAfterBytes })));
      expect(await runReads(client, batch.length)).toEqual([]);
      await client.close();
      // Only a response that was cut before its end is requested again, and only once.
      const repeated = batch.filter((cutAfterBytes) => cutAfterBytes < length).length;
      const { 401: challenges = 0, ...others } = countStatuses(service);
      expect(others).toEqual({ 0: batch.length, 200: 1 + repeated });
      // A connection whose nonce was not accepted before the cut gets another challenge.
      expect(challenges).toBeLessThanOrEqual(AT_ONCE + batch.length);
      await service.close();
    });
    while (openSockets() > sockets) await setImmediate();
  });

  it("gets the settings where it is the challenge that was cut", async () => {
    const sockets = openSockets();
    const service = await openService();
    const whole = await readThroughRelay(service, Number.MAX_SAFE_INTEGER);
    const cuts = Array.from({ length: Math.ceil(whole.challengeLength / 4) + 1 }, (_, index) => index * 4);
    const before = service.requests.length;
    await runAtOnce(64, cuts, async (cutAfterBytes) => {
      expect((await readThroughRelay(service, cutAfterBytes)).lost).toEqual([]);
    });
    // The challenge that was cut, perhaps another one, and the response.
    expect(service.requests.length - before).toBeLessThanOrEqual(3 * cuts.length);
    await service.close();
    while (openSockets() > sockets) await setImmediate();
  });
});

async function responseLength(): Promise<number> {
  const service = await openService({ faults: [{ cutAfterBytes: Number.MAX_SAFE_INTEGER }] });
  const whole = await readBytes(service, MONITORING);
  await service.close();
  return whole.length;
}

function countStatuses({ requests }: Service): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of requests) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function runAtOnce<T>(workers: number, items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: workers }, work));
}

/** Reads once, over a relay that cuts its first connection after so many bytes of the service's. */
async function readThroughRelay(
  { baseUrl }: Service,
  cutAfterBytes: number,
): Promise<{ lost: readonly unknown[]; challengeLength: number }> {
  const { hostname: host, port, pathname } = new URL(baseUrl);
  let requests = 0;
  let challengeLength = 0;
  let left = cutAfterBytes;
  const relay = createServer((near) => {
    const far = createConnection({ host, port: Number(port) });
    near.on("error", () => {}).on("close", () => far.destroy());
    far.on("error", () => {}).on("close", () => near.destroy());
    near.on("data", (chunk) => {
      requests += 1;
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      if (requests === 1) challengeLength += chunk.length;
      const isCut = chunk.length >= left;
      near.write(chunk.subarray(0, left), () => isCut && near.destroy());
      left = isCut ? Number.POSITIVE_INFINITY : left - chunk.length;
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const address = relay.address();
  if (address === null || typeof address === "string") throw new Error("The relay does not listen on a port.");
  const client = openClient({ baseUrl: `http://${host}:${address.port}${pathname}` });
  const lost = await runReads(client, 1);
  await client.close();
  relay.close();
  return { lost, challengeLength };
}
