import { expect, type TestContext, test } from "vitest";
import { digestFor, readMany, readStatus } from "../digest/digest-agent.ts";
import { findFasterClock, findLighttpd, startLighttpd } from "./lighttpd.ts";
import { logOf, openTlsAgent, readThroughLosses } from "./reads.ts";
import type { ServerProcess } from "./server-process.ts";

const found = await findLighttpd();
const clock = await findFasterClock();

async function start(context: TestContext): Promise<ServerProcess> {
  return await startLighttpd(typeof found === "string" ? context.skip(found) : found);
}

/** Starts a server whose clock runs `times` as fast. */
async function startFaster(context: TestContext, times: number): Promise<ServerProcess> {
  const { library } = typeof clock === "string" ? context.skip(clock) : clock;
  const environment = { LD_PRELOAD: library, FAKETIME: `+0 x${times}` };
  return await startLighttpd(typeof found === "string" ? context.skip(found) : found, environment);
}

const READS = 2000;
const PROFILES = ["/md5", "/sha256", "/both", "/sha512-256", "/userhash"].flatMap((path) =>
  [1, 16].map((atATime) => ({ path, atATime })),
);

test.for(PROFILES)(
  "reads $path, $atATime at a time, in one request each and a challenge for each connection",
  async (profile, context) => {
    const server = await start(context);
    const agent = openTlsAgent(digestFor(server));
    const statuses = await readMany(agent, `${server.origin}${profile.path}/settings.json`, READS, profile.atATime);
    const log = await logOf(server, agent);
    expect({ statuses, isWithin: log.length <= READS + profile.atATime }).toEqual({
      statuses: { 200: READS },
      isWithin: true,
    });
  },
);

const SENT = [
  { description: "the strongest of two algorithms", path: "/both", expected: "algorithm=SHA-256" },
  { description: "a hashed user name", path: "/userhash", expected: "userhash=true" },
];

test.for(SENT)("sends $description", async ({ path, expected }, context) => {
  const server = await start(context);
  const agent = openTlsAgent(digestFor(server));
  await readStatus(agent, `${server.origin}${path}/settings.json`);
  expect((await logOf(server, agent)).at(-1)).toContain(expected);
});

test.for(["/md5", "/both", "/sha512-256", "/userhash"])("a wrong key costs two requests: %s", async (path, context) => {
  const server = await start(context);
  const agent = openTlsAgent(digestFor(server, { password: "another" }));
  const status = await readStatus(agent, `${server.origin}${path}/settings.json`);
  expect([status, (await logOf(server, agent)).length]).toEqual([401, 2]);
});

/** Reads until the ten minutes of a nonce have passed on the server's fast clock, which also closes idle connections early. */
async function readPastExpiry(server: ServerProcess, forMilliseconds: number): Promise<readonly string[]> {
  const agent = openTlsAgent(digestFor(server));
  const end = performance.now() + forMilliseconds;
  while (performance.now() < end) await readThroughLosses(agent, `${server.origin}/md5/settings.json`);
  return await logOf(server, agent);
}

test("follows the nonces that are announced", async (context) => {
  const log = await readPastExpiry(await startFaster(context, 300), 4500);
  expect(log.filter((line) => /info=.*nextnonce=/.test(line)).length).toBeGreaterThan(0);
  expect(log.filter((line) => line.startsWith("401"))).toHaveLength(1);
});
