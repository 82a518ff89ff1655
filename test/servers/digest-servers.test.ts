import { setTimeout } from "node:timers/promises";
import tls from "node:tls";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type AgentLogConfigClient, AgentLogConfigError, type ConnectionOptions } from "../../sdk/client/index.ts";
import { LOG_PATH, MONITORING, openClient } from "../client/open-client.ts";
import { CA_FILE } from "../client/test-certificate.ts";
import { APACHE } from "./apache.ts";
import { LIGHTTPD } from "./lighttpd.ts";
import type { RealServer, ServerProcess } from "./server-process.ts";

const READS = 1000;
const ALL_READ = { [LOG_PATH]: READS };

/** How often each log path or error code came. */
type Ends = Readonly<Record<string, number>>;

/** Reads so many times, so many at a time. */
async function readMany(client: AgentLogConfigClient, reads: number, atATime = 1, atHalf = () => {}): Promise<Ends> {
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

/** A client of what a server has below a path. */
function clientOf({ origin }: ServerProcess, path: string, options: Partial<ConnectionOptions> = {}) {
  return openClient({ baseUrl: `${origin}${path}` }, { caCertificate: CA_FILE, ...options });
}

type Log = readonly string[];

/** What is read below a path that nothing else reads, and what comes of it. */
interface Use {
  readonly path: string;
  readonly options?: Partial<ConnectionOptions>;
  /** What is read before all else. */
  readonly first?: (client: AgentLogConfigClient) => Promise<Ends>;
  readonly read: (client: AgentLogConfigClient) => Promise<Ends>;
  readonly ends: Ends;
  /** Expects something of the lines of the access log. */
  readonly expectLog: (log: Log, path: string) => void;
}

/** Reads a thousand times, which costs at most so many requests, the last one with this in its line. */
function reads(path: string, atATime: number, requests: number, last: string): Use {
  const expectLog = (log: Log) => {
    expect(log.length, path).toBeLessThanOrEqual(requests);
    expect(log.at(-1), path).toContain(last);
  };
  return { path, read: (client) => readMany(client, READS, atATime), ends: ALL_READ, expectLog };
}

const statuses = (expected: RegExp) => (log: Log, path: string) =>
  expect(log.map((line) => line.slice(0, 3)).join(" "), path).toMatch(expected);

/** A wrong key costs two requests. */
const WRONG_KEY = {
  options: { privateKey: "another" },
  read: (client: AgentLogConfigClient) => readMany(client, 1),
  ends: { ERR_WRONG_KEY: 1 },
  expectLog: statuses(/^401 401$/),
};

const OF_APACHE: readonly Use[] = [
  {
    // A nonce that has expired costs one request more. It lives for two seconds of the server's own clock.
    path: "/short",
    first: (client) => readMany(client, 3),
    async read(client) {
      await setTimeout(2500);
      return readMany(client, 1);
    },
    ends: { [LOG_PATH]: 1 },
    expectLog: statuses(/^401(?: 200)+(?: 401(?: 200)+)+$/),
  },
  reads("/single", 1, READS + 1, "nc=000003e8"),
  reads("/default", 16, READS + 16, "200"),
  reads("/forever", 16, READS + 16, "200"),
  reads("/comma", 16, READS + 16, "200"),
  // Each nonce is good for one request.
  reads("/onetime", 16, READS * 2, "200"),
  reads("/strict", 16, READS + 16, "200"),
  { path: "/wrong", ...WRONG_KEY },
  {
    // It redirects to another origin, which is not followed and gets no credentials.
    path: "/elsewhere",
    read: (client) => readMany(client, 2),
    ends: { ERR_INVALID_RESPONSE: 2 },
    expectLog(log) {
      const refused = expect.stringMatching(/^302 127\.0\.0\.1.* authorization=- /);
      expect(log).toEqual([refused, refused]);
    },
  },
];

const OF_LIGHTTPD: readonly Use[] = [
  reads("/md5", 1, READS + 1, "nc=000003e8"),
  reads("/sha256", 16, READS + 16, "algorithm=SHA-256"),
  // It offers two algorithms, and the client takes the stronger one.
  reads("/both", 16, READS + 16, "algorithm=SHA-256"),
  reads("/sha512-256", 16, READS + 16, "algorithm=SHA-512-256"),
  { path: "/wrong", ...WRONG_KEY },
];

describe("Apache httpd with TLS 1.2", () => {
  it("refuses a client without a certificate after its request, which is no outage", async (context) => {
    if (APACHE.missing !== undefined) context.skip(APACHE.missing);
    const { DEFAULT_MAX_VERSION } = tls;
    onTestFinished(() => void Object.assign(tls, { DEFAULT_MAX_VERSION }));
    tls.DEFAULT_MAX_VERSION = "TLSv1.2";
    const server = await APACHE.start();
    const client = clientOf(server, "/certificate", { maxRetries: 3 });
    await expect(client.get(MONITORING)).rejects.toMatchObject({
      code: "ERR_TLS",
      message: expect.stringContaining("it requires a certificate from its clients"),
    });
  });
});

describe.each<{ name: string; server: RealServer; uses: readonly Use[] }>([
  { name: "Apache httpd", server: APACHE, uses: OF_APACHE },
  { name: "lighttpd", server: LIGHTTPD, uses: OF_LIGHTTPD },
])("$name", ({ server: { missing, start }, uses }) => {
  beforeEach((context) => {
    if (missing !== undefined) context.skip(missing);
  });

  it("gets no more requests than the nonces below each of its paths need", async () => {
    const server = await start();
    const opened = uses.map((use) => ({ ...use, client: clientOf(server, use.path, use.options) }));
    for (const { first, client } of opened) await first?.(client);
    const ends = await Promise.all(opened.map(({ read, client }) => read(client)));
    expect(ends).toEqual(uses.map((use) => use.ends));
    await Promise.all(opened.map(({ client }) => client.close()));
    const log = await server.stop();
    for (const { path, expectLog } of uses) {
      const lines = log.filter((line) => line.includes(` ${path}/`));
      expectLog(lines, path);
    }
  });

  it("is read through a restart", async () => {
    const server = await start();
    let restarted = Promise.resolve();
    const client = clientOf(server, uses[0]?.path ?? "", { maxRetries: 10 });
    const ends = await readMany(client, READS, 16, () => {
      restarted = server.restart();
    });
    await restarted;
    expect(ends).toEqual(ALL_READ);
  });
});
