import { setTimeout } from "node:timers/promises";
import { type Dispatcher, interceptors } from "undici";
import { expect, type TestContext, test } from "vitest";
import { digestFor, readMany, readStatus } from "../digest/digest-agent.ts";
import { findApache, startApache } from "./apache.ts";
import { failuresThroughRestart, logOf, openTlsAgent, openTlsConnections } from "./reads.ts";
import type { ServerProcess } from "./server-process.ts";

const found = findApache();

async function start(context: TestContext): Promise<ServerProcess> {
  return await startApache(typeof found === "string" ? context.skip(found) : found);
}

const READS = 2000;
const PROFILES = [
  { path: "/default", atATime: 1, atMost: READS + 1 },
  { path: "/default", atATime: 16, atMost: READS + 16 },
  { path: "/forever", atATime: 1, atMost: READS + 1 },
  { path: "/forever", atATime: 16, atMost: READS + 16 },
  { path: "/comma", atATime: 1, atMost: READS + 1 },
  { path: "/comma", atATime: 16, atMost: READS + 16 },
  // The nonces live for two seconds, and the bounds allow for a run of 40 seconds.
  { path: "/short", atATime: 1, atMost: READS + 21 },
  { path: "/short", atATime: 16, atMost: READS + 21 * 16 },
  { path: "/onetime", atATime: 1, atMost: READS + 1 },
  { path: "/onetime", atATime: 16, atMost: READS + 16 },
  { path: "/strict", atATime: 1, atMost: READS + 1 },
  { path: "/strict", atATime: 16, atMost: READS + 16 },
];

test.for(PROFILES)("reads $path, $atATime at a time, in at most $atMost requests", async (profile, context) => {
  const server = await start(context);
  const agent = profile.atATime === 1 ? openTlsAgent(digestFor(server)) : openTlsConnections(server);
  const statuses = await readMany(agent, `${server.origin}${profile.path}/settings.json`, READS, profile.atATime);
  const log = await logOf(server, agent);
  expect({ statuses, withinBounds: log.length <= profile.atMost, requests: log.length }).toMatchObject({
    statuses: { 200: READS },
    withinBounds: true,
  });
});

test("counts 2,000 reads on one nonce", async (context) => {
  const server = await start(context);
  const agent = openTlsAgent(digestFor(server));
  await readMany(agent, `${server.origin}/default/settings.json`, READS, 1);
  const log = await logOf(server, agent);
  // With two connections, the later response may be logged first.
  expect(log.filter((line) => line.includes("nc=000007d0"))).toHaveLength(1);
});

test("a wrong key costs two requests", async (context) => {
  const server = await start(context);
  const agent = openTlsAgent(digestFor(server, { password: "another" }));
  const status = await readStatus(agent, `${server.origin}/default/settings.json`);
  expect([status, (await logOf(server, agent)).length]).toEqual([401, 2]);
});

test("a nonce that has expired costs one more request", async (context) => {
  const server = await start(context);
  const agent = openTlsAgent(digestFor(server));
  const url = `${server.origin}/short/settings.json`;
  await readMany(agent, url, 3, 1);
  // The nonces live for two seconds of the server's own clock.
  await setTimeout(2500);
  await readStatus(agent, url);
  const log = await logOf(server, agent);
  expect(log.map((line) => line.split(" ")[0])).toEqual(["401", "200", "200", "200", "401", "200"]);
});

const redirect = () => interceptors.redirect({ maxRedirections: 2 });
type Interceptor = Dispatcher.DispatcherComposeInterceptor;
const REDIRECTS = [
  { description: "in front", order: (digest: Interceptor) => [digest, redirect()] },
  { description: "below", order: (digest: Interceptor) => [redirect(), digest] },
];

test.for(REDIRECTS)("gives another origin no credentials: redirect $description", async ({ order }, context) => {
  const server = await start(context);
  const agent = openTlsAgent(...order(digestFor(server)));
  await readStatus(agent, `${server.origin}/default/settings.json`);
  await readStatus(agent, `${server.origin}/elsewhere/settings.json`);
  const log = await logOf(server, agent);
  const landed = log.filter((line) => line.includes(" localhost:"));
  expect(landed).toEqual([expect.stringMatching(/^401 localhost:\d+ \/default\/settings.json authorization=- /)]);
});

test("every read succeeds through a restart", async (context) => {
  expect(await failuresThroughRestart(await start(context), "/default/settings.json", READS)).toEqual([]);
});
