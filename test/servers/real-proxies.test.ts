import { expect, it } from "vitest";
import type { AgentLogConfigClient } from "../../sdk/client/index.ts";
import { failureOf } from "../client/open-client.ts";
import { hostOf, openClient, proxyAddress, READ, startReadableService } from "./proxy-client.ts";
import { REAL_PROXIES } from "./real-proxies.ts";

const READS = 40;

async function readAll(client: AgentLogConfigClient): Promise<void> {
  await Promise.all(Array.from({ length: READS }, () => client.get(READ)));
  await client.close();
}

// One test for all, because squid takes two seconds to stop.
it.for(REAL_PROXIES)(
  "reads go through $name, which is asked once where it refuses, and is told from a service that is gone",
  async (kind, context) => {
    if (kind.missing !== undefined) context.skip(kind.missing);
    const proxy = await kind.start();
    const address = proxyAddress(proxy.origin, kind.password);

    const tunnelled = await startReadableService("https");
    await readAll(openClient(tunnelled, { HTTPS_PROXY: address }));
    expect(tunnelled.requests).toHaveLength(READS + 16);

    const plain = await startReadableService("http");
    await readAll(openClient(plain, { HTTP_PROXY: address }));
    expect(plain.requests).toHaveLength(READS + 16);
    expect(plain.requests.filter(({ headers }) => headers["proxy-authorization"] !== undefined)).toEqual([]);

    const closed = await startReadableService("https");
    await closed.close();
    expect(await failureOf(openClient(closed, { HTTPS_PROXY: address }))).toMatchObject({
      code: "ERR_CONNECTION",
      temporary: true,
      message: expect.stringMatching(/the proxy \S+ can't reach the service.*50[0-4]/),
    });

    const unasked = await startReadableService("https");
    for (const [password, status] of [
      [undefined, 407],
      ["wrong", kind.refusal],
    ] as const) {
      const client = openClient(unasked, { HTTPS_PROXY: proxyAddress(proxy.origin, password) }, { maxRetries: 3 });
      const message = expect.stringMatching(new RegExp(`the proxy .*HTTPS_PROXY.*${status}`));
      expect(await failureOf(client)).toMatchObject({ code: "ERR_PROXY", temporary: false, message });
      await client.close();
    }
    expect(unasked.requests).toEqual([]);

    const log = await proxy.stop();
    const tunnels = ({ baseUrl }: { readonly baseUrl: string }) =>
      log.filter((line) => line.includes(` CONNECT ${hostOf(baseUrl)}`)).length;
    expect(tunnels(tunnelled)).toBeGreaterThanOrEqual(1);
    expect(tunnels(tunnelled)).toBeLessThanOrEqual(16);
    expect(tunnels(unasked)).toBe(2);
    const targets = log.filter((line) => line.includes("/groups/"));
    expect(targets).toHaveLength(READS + 16);
    for (const line of targets) expect(line).toContain(`GET http://${hostOf(plain.baseUrl)}/`);
  },
);
