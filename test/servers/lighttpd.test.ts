import { expect, type TestContext, test } from "vitest";
import { findLighttpd, startLighttpd } from "./lighttpd.ts";
import { allRight, logOf, openClient, readMany } from "./reads.ts";
import type { ServerProcess } from "./server-process.ts";

const found = await findLighttpd();

async function start(context: TestContext): Promise<ServerProcess> {
  return await startLighttpd(typeof found === "string" ? context.skip(found) : found);
}

const READS = 1000;
const PROFILES = ["/md5", "/sha256", "/both", "/sha512-256"].flatMap((profile) =>
  [1, 16].map((atATime) => ({ profile, atATime })),
);

test.for(PROFILES)(
  "reads $profile, $atATime at a time, in one request and a challenge for each connection",
  async (row, context) => {
    const server = await start(context);
    const client = openClient(server, row.profile);
    expect(await readMany(client, READS, row.atATime)).toEqual(allRight(READS));
    expect((await logOf(server, client)).length).toBeLessThanOrEqual(READS + row.atATime);
  },
);

test("sends the strongest of two algorithms", async (context) => {
  const server = await start(context);
  const client = openClient(server, "/both");
  await readMany(client, 1, 1);
  expect((await logOf(server, client)).at(-1)).toContain("algorithm=SHA-256");
});

test.for(["/md5", "/both", "/sha512-256"])("a wrong key costs two requests: %s", async (profile, context) => {
  const server = await start(context);
  const client = openClient(server, profile, { privateKey: "another" });
  expect(await readMany(client, 1, 1)).toEqual({ ERR_WRONG_KEY: 1 });
  expect(await logOf(server, client)).toHaveLength(2);
});
