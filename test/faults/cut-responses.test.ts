import { createConnection, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { Service, ServiceOptions } from "../../sdk/testing/index.ts";
import { MONITORING, openService } from "../client/open-client.ts";
import { TLS } from "../client/test-certificate.ts";
import { listen } from "../servers/listen.ts";
import { readBytes } from "../testing/read-bytes.ts";
import { AT_ONCE, openPatientClient, runReads, watchSockets } from "./run-reads.ts";

describe("a read whose first response is cut", () => {
  it.each<{ description: string; options: ServiceOptions; every: number }>([
    { description: "plain HTTP", options: {}, every: 1 },
    // The bytes are the same, and a handshake takes time.
    { description: "TLS", options: { tls: TLS }, every: 8 },
  ])("after any number of bytes gets the settings with the next one, over $description", async ({ options, every }) => {
    const { length } = await readBytes(await openService({ faults: [{ cutAfterBytes: 9999 }] }), MONITORING);
    const openSockets = watchSockets();
    const cuts = Array.from({ length: Math.floor(length / every) + 1 }, (_, index) => length - index * every);
    const batches = Array.from({ length: Math.ceil(cuts.length / AT_ONCE) }, (_, index) =>
      cuts.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
    );
    const readAll = async (batch: readonly number[]) => {
      const service = await openService(options);
      const client = openPatientClient(service);
      // The first read lets the others begin at once.
      service.failNext({ delaySeconds: 0 }, ...batch.map((cutAfterBytes) => ({ cutAfterBytes })));
      await runReads(client, 1 + batch.length);
      await client.close();
      // Only a response that was cut before its end is requested again, and only once.
      const repeated = batch.filter((cutAfterBytes) => cutAfterBytes < length).length;
      const { 401: challenges = [], ...others } = Object.groupBy(service.requests, ({ status }) => status);
      expect([others[0]?.length, others[200]?.length]).toEqual([batch.length, 1 + repeated]);
      // A connection whose nonce was not accepted before the cut gets another challenge.
      expect(challenges.length).toBeLessThanOrEqual(AT_ONCE + batch.length);
    };
    await Promise.all(batches.map(readAll));
    expect(openSockets()).toBe(0);
  });

  it("gets the settings where it is the challenge that was cut", async () => {
    const service = await openService();
    const challengeLength = await readThroughRelay(service, Number.MAX_SAFE_INTEGER);
    const cuts = Array.from({ length: Math.ceil(challengeLength / 4) + 1 }, (_, index) => index * 4);
    const before = service.requests.length;
    await Promise.all(cuts.map((cutAfterBytes) => readThroughRelay(service, cutAfterBytes)));
    // The challenge that was cut, perhaps another one, and the response.
    expect(service.requests.length - before).toBeLessThanOrEqual(3 * cuts.length);
  });
});

/** Reads once, over a relay that cuts its first connection after so many bytes. Returns the length of the challenge. */
async function readThroughRelay({ baseUrl }: Service, cutAfterBytes: number): Promise<number> {
  const { hostname: host, port, pathname } = new URL(baseUrl);
  let [requests, challengeLength, left] = [0, 0, cutAfterBytes];
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
  const client = openPatientClient({ baseUrl: `http://${host}:${await listen(relay)}${pathname}` });
  await runReads(client, 1);
  await client.close();
  return challengeLength;
}
