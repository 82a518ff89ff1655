import { setImmediate, setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Fault, Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { AT_ONCE, openPatientClient, runReads, watchSockets } from "./run-reads.ts";

const READS = 400;
const FORGOTTEN = 8;

interface Scenario {
  readonly description: string;
  readonly faults?: readonly Fault[];
  /** What happens to the service during the reads. Returns the service that takes its place, if another one does. */
  readonly disturb?: (service: Service) => Promise<Service | undefined>;
  /** Requests beyond one a read. The first request of each connection gets a challenge, and at least one connection is used. */
  readonly extra: { readonly atLeast: number; readonly atMost: number };
}

/** Late enough that a restart meets requests that are under way. */
const LATE: readonly Fault[] = Array.from({ length: READS }, () => ({ delaySeconds: 0.002 }));

const SCENARIOS: readonly Scenario[] = [
  { description: "nothing goes wrong", extra: { atLeast: 1, atMost: AT_ONCE } },
  {
    description: "the service restarts",
    faults: LATE,
    disturb: restart,
    // It cuts what is under way, and refuses the old nonce once to each read under way.
    extra: { atLeast: 3, atMost: 3 * AT_ONCE },
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
    description: "it responds with 429 for a while",
    disturb: limitRate,
    // Each read under way asks once, and perhaps once more as that ends.
    extra: { atLeast: 1 + AT_ONCE, atMost: AT_ONCE + 2 * AT_ONCE },
  },
];

it.each(SCENARIOS)("all reads get the settings where $description, and leave no socket", async (scenario) => {
  const { faults = [], disturb, extra } = scenario;
  const service = await openService({ faults });
  const openSockets = watchSockets();
  const client = openPatientClient(service);
  const disturbed = disturb?.(service);
  await runReads(client, READS);
  await client.close();
  expect(openSockets()).toBe(0);
  const requests = service.requests.length + ((await disturbed)?.requests.length ?? 0);
  expect(requests - READS).toBeGreaterThanOrEqual(extra.atLeast);
  expect(requests - READS).toBeLessThanOrEqual(extra.atMost);
});

async function restart(service: Service): Promise<Service> {
  while (service.requests.length < READS / 2) await setImmediate();
  await service.close();
  await setTimeout(100);
  return openService({ port: Number(new URL(service.baseUrl).port), faults: LATE });
}

/** Until each read under way was refused. */
async function limitRate(service: Service): Promise<undefined> {
  while (service.requests.length < READS / 2) await setImmediate();
  service.respondWith({ status: 429 });
  while (service.requests.filter(({ status }) => status === 429).length < AT_ONCE) await setImmediate();
  service.respondWith(undefined);
}
