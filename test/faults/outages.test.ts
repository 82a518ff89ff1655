import { setImmediate, setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Fault, Service } from "../../sdk/testing/index.ts";
import { openClient, openService, openSockets } from "./open-client.ts";
import { AT_ONCE, runReads } from "./run-reads.ts";

const READS = 1000;
/** The first request of each connection gets a challenge. At least one connection is used. */
const CHALLENGES = { atLeast: 1, atMost: AT_ONCE };

interface Scenario {
  readonly description: string;
  readonly faults?: readonly Fault[];
  /** What happens to the service during the reads; the services that took its place. */
  readonly disturb?: (service: Service) => Promise<readonly Service[]>;
  /** Requests beyond one a read. */
  readonly extra: { readonly atLeast: number; readonly atMost: number };
}

const RESTARTS = 3;
/** Late enough that a restart meets requests that are under way. */
const LATE: readonly Fault[] = Array.from({ length: READS }, () => ({ delaySeconds: 0.01 }));
const FORGOTTEN = 20;

const SCENARIOS: readonly Scenario[] = [
  { description: "nothing goes wrong", extra: CHALLENGES },
  {
    description: "the service restarts",
    faults: LATE,
    disturb: restart,
    // Each restart cuts what is under way, and refuses the old nonce once to each read under way.
    extra: { atLeast: 1 + RESTARTS * 2, atMost: AT_ONCE + RESTARTS * 2 * AT_ONCE },
  },
  {
    description: "it forgets all nonces again and again",
    faults: Array.from({ length: FORGOTTEN }, () => [
      "forgetNonces" as const,
      ...Array.from({ length: 49 }, () => ({ delaySeconds: 0 })),
    ]).flat(),
    // A nonce that is gone is refused once to each read under way.
    extra: { atLeast: 1 + FORGOTTEN, atMost: AT_ONCE + FORGOTTEN * AT_ONCE },
  },
  {
    description: "it responds with 429 with Retry-After for a second",
    disturb: limitRate,
    // Within the second each read under way asks once, and perhaps once more as it ends.
    extra: { atLeast: 1 + AT_ONCE, atMost: AT_ONCE + 2 * AT_ONCE },
  },
];

describe("1,000 reads, 16 at a time", () => {
  it.each(SCENARIOS)("all get the settings where $description, and leave no socket behind", async (scenario) => {
    const { atLeast, atMost } = scenario.extra;
    const { lost, requests } = await run(scenario);
    expect(lost).toEqual([]);
    expect(requests - READS).toBeGreaterThanOrEqual(atLeast);
    expect(requests - READS).toBeLessThanOrEqual(atMost);
  });
});

async function run({
  faults = [],
  disturb,
}: Pick<Scenario, "faults" | "disturb">): Promise<{ lost: readonly unknown[]; requests: number }> {
  const service = await openService({ faults });
  const sockets = openSockets();
  const client = openClient(service);
  const disturbed = disturb?.(service) ?? [];
  const lost = await runReads(client, READS);
  const services = [service, ...(await disturbed)];
  await client.close();
  while (openSockets() > sockets) await setImmediate();
  await Promise.all(services.map((each) => each.close()));
  return { lost, requests: services.flatMap((each) => each.requests).length };
}

async function restart(first: Service): Promise<readonly Service[]> {
  const services: Service[] = [];
  for (let last = first; services.length < RESTARTS; services.push(last)) {
    while (last.requests.length < 200) await setImmediate();
    await last.close();
    await setTimeout(200);
    last = await openService({ port: Number(new URL(first.baseUrl).port), faults: LATE });
  }
  return services;
}

async function limitRate(service: Service): Promise<readonly Service[]> {
  while (service.requests.length < READS / 2) await setImmediate();
  service.respondWith({ status: 429, headers: { "Retry-After": "1" } });
  await setTimeout(1000);
  service.respondWith(undefined);
  return [];
}
