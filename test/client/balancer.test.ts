import { describe, expect, it } from "vitest";
import type { AgentLogConfigClient } from "../../sdk/client/index.ts";
import { type Balancing, startBalancedService } from "./balancer.ts";
import { openClient, PROJECT_ID } from "./open-client.ts";

/** Reads so many times, `atATime` at a time, and counts the settings that came. */
async function read(client: AgentLogConfigClient, reads: number, atATime: number): Promise<number> {
  let [left, right] = [reads, 0];
  const reader = async () => {
    while (left > 0) {
      left -= 1;
      const { agent } = await client.get({ projectId: PROJECT_ID, agent: left % 2 === 0 ? "monitoring" : "backup" });
      if (agent !== undefined) right += 1;
    }
  };
  await Promise.all(Array.from({ length: atATime }, reader));
  return right;
}

describe.each<{ balancing: Balancing; saysStale: boolean }>([
  { balancing: "round robin", saysStale: true },
  { balancing: "round robin", saysStale: false },
  { balancing: "random", saysStale: true },
  { balancing: "random", saysStale: false },
  { balancing: "sticky cookie", saysStale: true },
  { balancing: "sticky cookie", saysStale: false },
])("behind a balancer with two servers, by $balancing, which say stale: $saysStale", ({ balancing, saysStale }) => {
  it("10 fresh clients read over a connection each, with two requests", async () => {
    const service = await startBalancedService(balancing, saysStale);
    for (let client = 0; client < 10; client += 1) expect(await read(openClient(service), 1, 1)).toBe(1);
    expect(service).toMatchObject({ connections: 10, requests: 20 });
  });

  it("100 reads one by one use one connection and one nonce", async () => {
    const service = await startBalancedService(balancing, saysStale);
    expect(await read(openClient(service), 100, 1)).toBe(100);
    expect(service).toMatchObject({ connections: 1, requests: 101 });
  });

  it("100 reads, 16 at a time, cost a challenge for each connection", async () => {
    const service = await startBalancedService(balancing, saysStale);
    expect(await read(openClient(service), 100, 16)).toBe(100);
    expect(service.connections).toBeLessThanOrEqual(16);
    expect(service.requests).toBeLessThanOrEqual(116);
  });
});
