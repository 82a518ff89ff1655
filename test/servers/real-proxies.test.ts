import { beforeEach, describe, expect, it } from "vitest";
import { failureOf } from "../client/open-client.ts";
import { hostOf, openClient, proxyAddress, READ, startReadableService } from "./proxy-client.ts";
import { REAL_PROXIES } from "./real-proxies.ts";

const READS = 40;

describe.each(REAL_PROXIES)("through $name", ({ missing, password, refusal, start }) => {
  beforeEach((context) => {
    if (missing !== undefined) context.skip(missing);
  });

  it("https is read through a tunnel, in one request a read and a challenge for each connection", async () => {
    const proxy = await start();
    const service = await startReadableService("https");
    const client = openClient(service, { HTTPS_PROXY: proxyAddress(proxy.origin, password) });
    await Promise.all(Array.from({ length: READS }, () => client.get(READ)));
    await client.close();
    const log = await proxy.stop();
    expect(service.requests).toHaveLength(READS + 16);
    const tunnels = log.filter((line) => line.includes(`CONNECT ${hostOf(service.baseUrl)}`));
    expect(tunnels.length).toBeGreaterThanOrEqual(1);
    expect(tunnels.length).toBeLessThanOrEqual(16);
    expect(log.join("\n")).not.toContain("/groups/");
  });

  it("plain http is read, in one request a read and a challenge for each connection", async () => {
    const proxy = await start();
    const service = await startReadableService("http");
    const client = openClient(service, { HTTP_PROXY: proxyAddress(proxy.origin, password) });
    await Promise.all(Array.from({ length: READS }, () => client.get(READ)));
    await client.close();
    const asked = (await proxy.stop()).filter((line) => /\bGET .*\/groups\//.test(line));
    expect([service.requests.length, asked.length]).toEqual([READS + 16, READS + 16]);
    expect(service.requests.filter(({ headers }) => headers["proxy-authorization"] !== undefined)).toEqual([]);
  });

  it.each([
    { password: undefined, status: 407 },
    { password: "wrong", status: refusal },
  ])("password $password is refused once", async (given) => {
    const proxy = await start();
    const service = await startReadableService("https");
    const address = proxyAddress(proxy.origin, given.password);
    const client = openClient(service, { HTTPS_PROXY: address }, { maxRetries: 3 });
    const message = expect.stringMatching(new RegExp(`the proxy .*HTTPS_PROXY.*${given.status}`));
    expect(await failureOf(client)).toMatchObject({ code: "ERR_PROXY", temporary: false, message });
    await client.close();
    expect((await proxy.stop()).filter((line) => /(?:^\d+|:) CONNECT /.test(line))).toHaveLength(1);
    expect(service.requests).toEqual([]);
  });

  it("a service that can't be reached is told from the proxy", async () => {
    const proxy = await start();
    const service = await startReadableService("https");
    await service.close();
    const client = openClient(service, { HTTPS_PROXY: proxyAddress(proxy.origin, password) });
    const message = expect.stringMatching(/the proxy \S+ can't reach the service.*50[0-4]/);
    expect(await failureOf(client)).toMatchObject({ code: "ERR_CONNECTION", temporary: true, message });
  });
});
