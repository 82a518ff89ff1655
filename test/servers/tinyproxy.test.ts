import { expect, type TestContext, test } from "vitest";
import {
  failureOf,
  hostOf,
  openClient,
  PROXY_PASSWORD,
  PROXY_USER,
  proxyAddress,
  READ,
  startReadableService,
} from "./proxy-client.ts";
import type { ServerProcess } from "./server-process.ts";
import { findTinyproxy, startTinyproxy } from "./tinyproxy.ts";

const found = findTinyproxy();
const BASIC_AUTH = `BasicAuth ${PROXY_USER} plain-0001`;

async function start(context: TestContext, ...directives: readonly string[]): Promise<ServerProcess> {
  return await startTinyproxy(typeof found === "string" ? context.skip(found) : found, ...directives);
}

const READS = 40;

test("https is read through a tunnel, in one request a read and a challenge for each connection", async (context) => {
  const proxy = await start(context);
  const service = await startReadableService("https");
  const client = openClient(service, { HTTPS_PROXY: proxyAddress(proxy.origin, undefined) });
  await Promise.all(Array.from({ length: READS }, () => client.get(READ)));
  await client.close();
  const log = (await proxy.stop()).join("\n");
  expect(service.requests).toHaveLength(READS + 16);
  expect(log.match(/: CONNECT 127\.0\.0\.1:\d+ /g)?.length).toBeGreaterThanOrEqual(1);
  expect(log.match(/: CONNECT 127\.0\.0\.1:\d+ /g)?.length).toBeLessThanOrEqual(16);
  expect(log).not.toContain("/groups/");
});

test("plain http is read through it, in one request a read and a challenge for each connection", async (context) => {
  const proxy = await start(context);
  const service = await startReadableService("http");
  const client = openClient(service, { HTTP_PROXY: proxyAddress(proxy.origin, undefined) });
  await Promise.all(Array.from({ length: READS }, () => client.get(READ)));
  await client.close();
  const asked = (await proxy.stop()).filter((line) => line.includes(": GET ") && line.includes("/groups/"));
  expect([service.requests.length, asked.length]).toEqual([READS + 16, READS + 16]);
});

test.for(["HTTPS_PROXY", "https_proxy"])("%s may hold user and password", async (variable, context) => {
  const proxy = await start(context, BASIC_AUTH);
  const service = await startReadableService("https");
  const client = openClient(service, { [variable]: proxyAddress(proxy.origin, "plain-0001") });
  await client.get(READ);
  await client.close();
  expect((await proxy.stop()).join("\n")).toContain(`: CONNECT ${hostOf(service.baseUrl)} `);
});

test.for(["NO_PROXY", "no_proxy"])("%s leads past it", async (variable, context) => {
  const proxy = await start(context);
  const service = await startReadableService("https");
  const client = openClient(service, {
    HTTPS_PROXY: proxyAddress(proxy.origin, undefined),
    [variable]: "example.com,127.0.0.1",
  });
  await client.get(READ);
  await client.close();
  expect(service.requests).toHaveLength(2);
  expect((await proxy.stop()).join("\n")).not.toContain(`CONNECT ${hostOf(service.baseUrl)}`);
});

// It responds to wrong credentials with 401.
const REFUSALS = [
  { password: undefined, status: 407 },
  { password: PROXY_PASSWORD, status: 401 },
] as const;

test.for(REFUSALS)("password $password is refused", async ({ password, status }, context) => {
  const proxy = await start(context, BASIC_AUTH);
  const service = await startReadableService("https");
  const client = openClient(service, { HTTPS_PROXY: proxyAddress(proxy.origin, password) });
  expect(await failureOf(client)).toMatchObject({
    code: "ERR_PROXY",
    message: expect.stringMatching(new RegExp(`the proxy .*HTTPS_PROXY.*${status}`)),
  });
  expect(service.requests).toEqual([]);
});

test("a port that it may not connect to is said", async (context) => {
  const proxy = await start(context, "ConnectPort 443");
  const service = await startReadableService("https");
  const client = openClient(service, { HTTPS_PROXY: proxyAddress(proxy.origin, undefined) }, { maxRetries: 1 });
  expect(await failureOf(client)).toMatchObject({
    code: "ERR_PROXY",
    temporary: false,
    message: expect.stringMatching(/the proxy .*NO_PROXY.*403/),
  });
  await client.close();
  expect((await proxy.stop()).filter((line) => line.includes(": CONNECT "))).toHaveLength(1);
});

test("reports a service that the proxy can't reach, after retries", async (context) => {
  const proxy = await start(context);
  const service = await startReadableService("https");
  await service.close();
  const client = openClient(service, { HTTPS_PROXY: proxyAddress(proxy.origin, undefined) }, { maxRetries: 1 });
  expect(await failureOf(client)).toMatchObject({
    code: "ERR_CONNECTION",
    temporary: true,
    message: expect.stringMatching(/the proxy \S+ can't reach the service.*50[0-4]/),
  });
  await client.close();
  expect((await proxy.stop()).filter((line) => line.includes(": CONNECT "))).toHaveLength(2);
});
