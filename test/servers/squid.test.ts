import { expect, type TestContext, test } from "vitest";
import {
  failureOf,
  hostOf,
  openClient,
  PROXY_PASSWORD,
  proxyAddress,
  READ,
  startReadableService,
} from "./proxy-client.ts";
import type { ServerProcess } from "./server-process.ts";
import { findSquid, startSquid } from "./squid.ts";

const found = findSquid();

async function start(context: TestContext): Promise<ServerProcess> {
  return await startSquid(typeof found === "string" ? context.skip(found) : found);
}

const READS = 40;

test("https is read through a tunnel with credentials, in one request a read and a challenge for each connection", async (context) => {
  const proxy = await start(context);
  const service = await startReadableService("https");
  const client = openClient(service, { HTTPS_PROXY: proxyAddress(proxy.origin, PROXY_PASSWORD) });
  await Promise.all(Array.from({ length: READS }, () => client.get(READ)));
  await client.close();
  const log = (await proxy.stop()).filter((line) => line.includes("127.0.0.1"));
  expect(service.requests).toHaveLength(READS + 16);
  expect(new Set(log)).toEqual(new Set([`200 CONNECT ${hostOf(service.baseUrl)}`]));
});

test("plain http is read through it with credentials, in one request a read and a challenge for each connection", async (context) => {
  const proxy = await start(context);
  const service = await startReadableService("http");
  const client = openClient(service, { HTTP_PROXY: proxyAddress(proxy.origin, PROXY_PASSWORD) });
  await Promise.all(Array.from({ length: READS }, () => client.get(READ)));
  await client.close();
  const log = (await proxy.stop()).filter((line) => line.includes("/groups/"));
  expect([service.requests.length, log.length]).toEqual([READS + 16, READS + 16]);
  expect(service.requests.filter(({ headers }) => headers["proxy-authorization"] !== undefined)).toEqual([]);
});

const REFUSALS = [
  { protocol: "https", password: undefined, variable: "HTTPS_PROXY" },
  { protocol: "https", password: "wrong", variable: "HTTPS_PROXY" },
  { protocol: "http", password: undefined, variable: "HTTP_PROXY" },
  { protocol: "http", password: "wrong", variable: "HTTP_PROXY" },
] as const;

test.for(REFUSALS)("$protocol with password $password is refused once", async (refusal, context) => {
  const proxy = await start(context);
  const service = await startReadableService(refusal.protocol);
  const address = proxyAddress(proxy.origin, refusal.password);
  const client = openClient(service, { [refusal.variable]: address }, { maxRetries: 3 });
  expect(await failureOf(client)).toMatchObject({
    code: "ERR_PROXY",
    temporary: false,
    message: expect.stringMatching(new RegExp(`the proxy .*${refusal.variable}.*407`)),
  });
  await client.close();
  expect((await proxy.stop()).filter((line) => line.startsWith("407"))).toHaveLength(1);
});

test("reports a service that the proxy can't reach", async (context) => {
  const proxy = await start(context);
  const service = await startReadableService("https");
  await service.close();
  const client = openClient(service, { HTTPS_PROXY: proxyAddress(proxy.origin, PROXY_PASSWORD) });
  expect(await failureOf(client)).toMatchObject({
    code: "ERR_CONNECTION",
    temporary: true,
    message: expect.stringMatching(/the proxy \S+ can't reach the service.*503/),
  });
});
