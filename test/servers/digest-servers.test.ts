import { setTimeout } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { type AgentLogConfigClient, AgentLogConfigError, type ConnectionOptions } from "../../sdk/client/index.ts";
import { LOG_PATH, MONITORING, openClient } from "../client/open-client.ts";
import { APACHE } from "./apache.ts";
import { LIGHTTPD } from "./lighttpd.ts";
import { CERTIFICATE_FILE, type ServerProcess } from "./server-process.ts";

const READS = 1000;

/** A client of one of a server's profiles. */
function clientOf({ origin }: ServerProcess, profile: string, options: Partial<ConnectionOptions> = {}) {
  return openClient({ baseUrl: `${origin}${profile}` }, { caCertificate: CERTIFICATE_FILE, ...options });
}

/** Reads so many times, so many at a time, and returns how often each log path or error code came. */
async function readMany(client: AgentLogConfigClient, reads: number, atATime: number, atHalf = () => {}) {
  const ends: Record<string, number> = {};
  let begun = 0;
  const reader = async () => {
    while (begun < reads) {
      begun += 1;
      if (begun === reads / 2) atHalf();
      const end = await client.get(MONITORING).then(
        ({ logPath }) => String(logPath),
        (error: unknown) => (error instanceof AgentLogConfigError ? error.code : String(error)),
      );
      ends[end] = (ends[end] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atATime }, reader));
  return ends;
}

/** Stops the server once no connection is left, and gives its access log. */
async function logOf(server: ServerProcess, client: AgentLogConfigClient): Promise<readonly string[]> {
  await client.close();
  return server.stop();
}

describe.each([
  {
    name: "Apache httpd",
    server: APACHE,
    reads: [
      { profile: "/default", atATime: 1, requests: READS + 1, last: "nc=000003e8" },
      { profile: "/default", atATime: 16, requests: READS + 16, last: "200" },
      { profile: "/forever", atATime: 16, requests: READS + 16, last: "200" },
      { profile: "/comma", atATime: 16, requests: READS + 16, last: "200" },
      // Each nonce is good for one request.
      { profile: "/onetime", atATime: 16, requests: READS * 2, last: "200" },
      { profile: "/strict", atATime: 16, requests: READS + 16, last: "200" },
    ],
    refused: ["/default"],
  },
  {
    name: "lighttpd",
    server: LIGHTTPD,
    reads: [
      { profile: "/md5", atATime: 1, requests: READS + 1, last: "nc=000003e8" },
      { profile: "/sha256", atATime: 16, requests: READS + 16, last: "algorithm=SHA-256" },
      // It offers two algorithms, and the client takes the stronger one.
      { profile: "/both", atATime: 16, requests: READS + 16, last: "algorithm=SHA-256" },
      { profile: "/sha512-256", atATime: 16, requests: READS + 16, last: "algorithm=SHA-512-256" },
    ],
    refused: ["/both", "/sha512-256"],
  },
])("$name", ({ server: { missing, start }, reads, refused }) => {
  beforeEach((context) => {
    if (missing !== undefined) context.skip(missing);
  });

  it.each(reads)("is read in $requests requests: $profile, $atATime at a time", async ({ profile, ...expected }) => {
    const server = await start();
    const client = clientOf(server, profile);
    expect(await readMany(client, READS, expected.atATime)).toEqual({ [LOG_PATH]: READS });
    const log = await logOf(server, client);
    expect(log.length).toBeLessThanOrEqual(expected.requests);
    expect(log.at(-1)).toContain(expected.last);
  });

  it.each(refused)("refuses a wrong key after two requests: %s", async (profile) => {
    const server = await start();
    const client = clientOf(server, profile, { privateKey: "another" });
    expect(await readMany(client, 1, 1)).toEqual({ ERR_WRONG_KEY: 1 });
    expect(await logOf(server, client)).toHaveLength(2);
  });
});

describe("Apache httpd", () => {
  beforeEach((context) => {
    if (APACHE.missing !== undefined) context.skip(APACHE.missing);
  });

  it("costs one more request where a nonce has expired", async () => {
    const server = await APACHE.start();
    const client = clientOf(server, "/short");
    await readMany(client, 3, 1);
    // The nonces live for two seconds of the server's own clock.
    await setTimeout(2500);
    await readMany(client, 1, 1);
    const log = await logOf(server, client);
    expect(log.map((line) => line.split(" ")[0])).toEqual(["401", "200", "200", "200", "401", "200"]);
  });

  it("gives another origin no credentials, and no redirect is followed", async () => {
    const server = await APACHE.start();
    const client = clientOf(server, "/elsewhere");
    expect(await readMany(client, 2, 1)).toEqual({ ERR_INVALID_RESPONSE: 2 });
    const refused = expect.stringMatching(/^302 127\.0\.0\.1.* authorization=- /);
    expect(await logOf(server, client)).toEqual([refused, refused]);
  });

  it("is read through a restart", async () => {
    const server = await APACHE.start();
    let restarted = Promise.resolve();
    const client = clientOf(server, "/default", { maxRetries: 10 });
    const ends = await readMany(client, READS, 16, () => {
      restarted = server.restart();
    });
    await restarted;
    expect(ends).toEqual({ [LOG_PATH]: READS });
  });
});
