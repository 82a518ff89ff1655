import { setTimeout } from "node:timers/promises";
import { expect, type TestContext, test } from "vitest";
import { findApache, startApache } from "./apache.ts";
import { allRight, logOf, openClient, readMany } from "./reads.ts";
import type { ServerProcess } from "./server-process.ts";

const found = findApache();

async function start(context: TestContext): Promise<ServerProcess> {
  return await startApache(typeof found === "string" ? context.skip(found) : found);
}

const READS = 1000;
const PROFILES = [
  { profile: "/default", atATime: 1, atMost: READS + 1 },
  { profile: "/default", atATime: 16, atMost: READS + 16 },
  { profile: "/forever", atATime: 16, atMost: READS + 16 },
  { profile: "/comma", atATime: 1, atMost: READS + 1 },
  // The nonces live for two seconds, and the bounds allow for a run of 40 seconds.
  { profile: "/short", atATime: 16, atMost: READS + 21 * 16 },
  // Each nonce is good for one request.
  { profile: "/onetime", atATime: 1, atMost: READS * 2 },
  { profile: "/onetime", atATime: 16, atMost: READS * 2 },
  { profile: "/strict", atATime: 1, atMost: READS + 1 },
  { profile: "/strict", atATime: 16, atMost: READS + 16 },
];

test.for(PROFILES)("reads $profile, $atATime at a time, in at most $atMost requests", async (row, context) => {
  const server = await start(context);
  const client = openClient(server, row.profile);
  expect(await readMany(client, READS, row.atATime)).toEqual(allRight(READS));
  expect((await logOf(server, client)).length).toBeLessThanOrEqual(row.atMost);
});

test("counts 1,000 reads on one nonce", async (context) => {
  const server = await start(context);
  const client = openClient(server, "/default");
  await readMany(client, READS, 1);
  const log = await logOf(server, client);
  expect(log.filter((line) => line.includes("nc=000003e8"))).toHaveLength(1);
});

test("a wrong key costs two requests", async (context) => {
  const server = await start(context);
  const client = openClient(server, "/default", { privateKey: "another" });
  expect(await readMany(client, 1, 1)).toEqual({ ERR_WRONG_KEY: 1 });
  expect(await logOf(server, client)).toHaveLength(2);
});

test("a nonce that has expired costs one more request", async (context) => {
  const server = await start(context);
  const client = openClient(server, "/short");
  await readMany(client, 3, 1);
  // The nonces live for two seconds of the server's own clock.
  await setTimeout(2500);
  await readMany(client, 1, 1);
  const log = await logOf(server, client);
  expect(log.map((line) => line.split(" ")[0])).toEqual(["401", "200", "200", "200", "401", "200"]);
});

test("gives another origin no credentials, and follows no redirect", async (context) => {
  const server = await start(context);
  const client = openClient(server, "/elsewhere");
  expect(await readMany(client, 2, 1)).toEqual({ ERR_INVALID_RESPONSE: 2 });
  const log = await logOf(server, client);
  expect(log).toEqual([1, 2].map(() => expect.stringMatching(/^302 127\.0\.0\.1.* authorization=- /)));
});

test("every read succeeds through a restart", async (context) => {
  const server = await start(context);
  let restarted = Promise.resolve();
  const client = openClient(server, "/default", { maxRetries: 10 });
  const ends = await readMany(client, READS, 16, () => {
    restarted = server.restart();
  });
  await restarted;
  expect(ends).toEqual(allRight(READS));
});
