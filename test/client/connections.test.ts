import { execFile } from "node:child_process";
import diagnosticsChannel from "node:diagnostics_channel";
import dns from "node:dns";
import { createServer } from "node:http";
import { Socket } from "node:net";
import { promisify } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import type { CannedResponse, Service, ServiceOptions } from "../../sdk/testing/index.ts";
import { listen } from "../servers/listen.ts";
import { CUT_RESPONSE, queueFaults } from "../testing/queue-faults.ts";
import { failureOf, KEYS, LOG_PATH, MONITORING, openClient, openClientOfRun, openService } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";

/** As many as a client opens. */
const AT_ONCE = 16;

function refusal(status: number, errorCode: string): CannedResponse {
  return { status, body: JSON.stringify({ error: status, errorCode }) };
}

/** Returns what tells how many sockets are open of those that clients open from now on. */
function watchSockets(): () => number {
  const sockets: Socket[] = [];
  const note = (message: unknown) => {
    const { socket } = message instanceof Object && "socket" in message ? message : {};
    if (socket instanceof Socket) sockets.push(socket);
  };
  diagnosticsChannel.subscribe("undici:client:connected", note);
  onTestFinished(() => void diagnosticsChannel.unsubscribe("undici:client:connected", note));
  return () => sockets.filter(({ destroyed }) => !destroyed).length;
}

it("are opened to an address that takes its time, although the host has another one that nothing listens at", async () => {
  const service = await openService();
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  const lookup = vi.spyOn(dns, "lookup").mockImplementation((...args: unknown[]) => {
    const found = args.at(-1);
    if (typeof found === "function") found(null, addresses);
    // Node.js would give the first address 250 ms. It learns only afterwards that the connection is open.
    process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400));
  });
  onTestFinished(() => lookup.mockRestore());
  const client = openClient({ baseUrl: service.baseUrl.replace("127.0.0.1", "two-addresses.example") });
  expect(await client.get(MONITORING)).toMatchObject({ logPath: LOG_PATH });
});

it("share a look-up of the host that is under way, and keep nothing of it", async () => {
  const service = await openService();
  const opening = vi.fn<() => void>();
  diagnosticsChannel.subscribe("undici:client:beforeConnect", opening);
  const pending: (() => void)[] = [];
  const lookup = vi.spyOn(dns, "lookup").mockImplementation((...args: unknown[]) => {
    const found = args.at(-1);
    if (typeof found === "function") pending.push(() => found(null, [{ address: "127.0.0.1", family: 4 }]));
  });
  onTestFinished(() => {
    lookup.mockRestore();
    diagnosticsChannel.unsubscribe("undici:client:beforeConnect", opening);
  });
  const client = openClient({ baseUrl: service.baseUrl.replace("127.0.0.1", "slow-name.example") });
  for (const reads of [1, AT_ONCE]) {
    opening.mockClear();
    const all = Promise.all(Array.from({ length: reads }, () => client.get(MONITORING)));
    await vi.waitFor(() => expect(opening).toHaveBeenCalledTimes(reads === 1 ? 1 : AT_ONCE - 1));
    expect(pending).toHaveLength(1);
    pending.pop()?.();
    expect(await all).toHaveLength(reads);
  }
  expect(lookup).toHaveBeenCalledTimes(2);
});

it("say what to raise where no file descriptor is left", async (context) => {
  if (process.platform === "win32") context.skip("Windows has no limit that a shell could lower");
  const program = `
    const { openSync } = await import("node:fs");
    const { AgentLogConfigClient } = await import(${JSON.stringify(new URL("../../sdk/client/index.ts", import.meta.url).href)});
    const client = new AgentLogConfigClient(${JSON.stringify({ ...KEYS, baseUrl: "https://127.0.0.1:1", maxRetries: 0 })});
    try { for (;;) openSync("/dev/null"); } catch {}
    await client.get(${JSON.stringify(MONITORING)}).catch(({ message }) => process.stdout.write(message));`;
  const args = ["-c", 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, program];
  const { stdout } = await promisify(execFile)("sh", args, { env: { PATH: process.env["PATH"] } });
  expect(stdout).toMatch(/no file descriptor is left.*raise the limit \(ulimit -n\), or read fewer.*\(EMFILE/);
});

it("are not opened for reads that are given up while they wait", async () => {
  const all = Promise.withResolvers<void>();
  let [connections, held, isSilent] = [0, 0, false];
  const counts = new Set<string | undefined>();
  const server = createServer(({ headers: { authorization } }, response) => {
    // All connections get the same nonce, and each count is good for one request.
    const [count] = /nc=\w+/.exec(authorization ?? "") ?? [];
    const isUsed = counts.has(count);
    counts.add(count);
    if (authorization === undefined || isUsed) {
      response.writeHead(401, { "WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"' }).end();
    } else if (!isSilent) response.end("{}");
    else if (++held === 16) all.resolve();
  });
  server.on("connection", () => {
    connections += 1;
  });
  const client = openClientOfRun({ baseUrl: `http://127.0.0.1:${await listen(server)}` });
  await client.get(MONITORING);
  isSilent = true;
  const controllers = Array.from({ length: 1000 }, () => new AbortController());
  const reads = controllers.map(({ signal }) => client.get(MONITORING, { signal }).catch((error: unknown) => error));
  await all.promise;
  const reason = new Error("enough");
  for (const controller of controllers) controller.abort(reason);
  expect(new Set(await Promise.all(reads))).toEqual(new Set([reason]));
  isSilent = false;
  await client.get(MONITORING);
  // Those whose requests were given up were closed.
  expect(connections).toBeLessThanOrEqual(32);
});

it("carry a wrong key once for all reads that overlap, and again for a later one", async () => {
  const service = await openService();
  const client = openClient(service, { privateKey: "private-key-0002" });
  const failures = await Promise.all(Array.from({ length: 100 }, () => failureOf(client)));
  expect(failures).toEqual(Array(100).fill(expect.objectContaining({ code: "ERR_WRONG_KEY" })));
  expect(service.requests).toHaveLength(2);
  service.rotateKey("private-key-0002");
  expect(await client.get(MONITORING)).toMatchObject({ logPath: LOG_PATH });
});

/** What a gateway sends that replaces the bodies of errors. */
const PAGE: CannedResponse = {
  status: 401,
  headers: { "WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"' },
  body: "<title>Something went wrong</title>",
};
const signedIn = ({ requests }: Service) => requests.filter(({ headers }) => headers.authorization !== undefined);

it("carry a wrong key three times behind a gateway that replaces the reasons of refusals by pages", async () => {
  const service = await openService();
  service.respondWith(() => PAGE);
  const client = openClient(service);
  const failures = await Promise.all(Array.from({ length: 100 }, () => failureOf(client)));
  expect(failures).toEqual(Array(100).fill(expect.objectContaining({ code: "ERR_WRONG_KEY" })));
  expect(signedIn(service)).toHaveLength(3);
});

it("carry all reads but that of a first project without a role, whose reason a gateway has replaced by a page", async () => {
  const service = await openService({ faults: [PAGE] });
  const client = openClient(service);
  const failures = await Promise.all(Array.from({ length: 40 }, () => failureOf(client)));
  expect(failures.filter((failure) => failure !== undefined)).toEqual([
    expect.objectContaining({ code: "ERR_WRONG_KEY" }),
  ]);
});

it.each<{ description: string; after: number; begin: (service: Service) => void; atMost: number; code: string }>([
  {
    description: "a key that is revoked",
    after: 100,
    begin: (service) => service.rotateKey("private-key-0002"),
    atMost: 90,
    code: "ERR_WRONG_KEY",
  },
  {
    description: "an address that is taken off the access list",
    after: 100,
    begin: (service) => service.respondWith(() => refusal(403, "IP_ADDRESS_NOT_ON_ACCESS_LIST")),
    // The sixteen that are under way, and two that are sent before the third of them is refused.
    atMost: 18,
    code: "ERR_ACCESS_LIST",
  },
  {
    description: "a key that is refused from the start",
    after: 0,
    begin: (service) => service.rotateKey("private-key-0002"),
    atMost: 2,
    code: "ERR_WRONG_KEY",
  },
])(
  "carry $description after $after of 500 reads at most $atMost times more",
  async ({ after, begin, atMost, code }) => {
    const service = await openService();
    const client = openClient(service, { maxRetries: 3 });
    if (after === 0) begin(service);
    let [read, requests] = [0, 0];
    const failures = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const failure = await failureOf(client);
        if (failure === undefined && ++read === after) {
          begin(service);
          requests = service.requests.length;
        }
        return failure;
      }),
    );
    const failed = failures.filter((failure) => failure !== undefined);
    expect(failed).toEqual(Array(failed.length).fill(expect.objectContaining({ code })));
    // Those that have been answered by then are read.
    expect(read).toBeLessThan(after + 16);
    expect(service.requests.length - requests).toBeLessThanOrEqual(atMost);
  },
);

it("carry a wrong key twice after a rate limit, too, which may come before the key is checked", async () => {
  const service = await openService({ faults: [{ status: 429, body: JSON.stringify({ errorCode: "RATE_LIMITED" }) }] });
  const client = openClient(service);
  expect(await failureOf(client)).toMatchObject({ code: "ERR_RATE_LIMITED" });
  service.rotateKey("private-key-0002");
  const before = service.requests.length;
  expect(await failureOf(client)).toMatchObject({ code: "ERR_WRONG_KEY" });
  expect(service.requests).toHaveLength(before + 2);
});

it("carry a wrong key twice where a gateway has answered before", async () => {
  const service = await openService({ faults: [{ status: 503 }] });
  const client = openClient(service);
  expect(await failureOf(client)).toMatchObject({ status: 503 });
  service.rotateKey("private-key-0002");
  const before = service.requests.length;
  expect(await failureOf(client)).toMatchObject({ code: "ERR_WRONG_KEY" });
  expect(service.requests).toHaveLength(before + 2);
});

it.each(["USER_UNAUTHORIZED", "NOT_IN_GROUP", "NEW_CODE"])(
  "carry a read once that the service refuses with 401 and %s",
  async (code) => {
    const service = await openService();
    const client = openClient(service);
    await client.get(MONITORING);
    const headers = { "WWW-Authenticate": 'Digest realm="Example Public API", nonce="other", qop="auth"' };
    queueFaults(service, { ...refusal(401, code), headers });
    expect(await failureOf(client)).toMatchObject({ errorCode: code });
    await client.get(MONITORING);
    expect(service.requests.map(({ status }) => status)).toEqual([401, 200, 401, 200]);
  },
);

it("are closed with the client once the reads under way have ended, and later reads are refused", async () => {
  const service = await openService();
  const openSockets = watchSockets();
  const client = openClient(service);
  const reads = [client.get(MONITORING), client.get(MONITORING), client.get(MONITORING)];
  const closed = client.close();
  expect(await failureOf(client)).toMatchObject({ code: "ERR_CLIENT_CLOSED" });
  await closed;
  expect(await Promise.all(reads)).toMatchObject(Array(3).fill({ logPath: LOG_PATH }));
  expect(openSockets()).toBe(0);
});

it.each<{ description: string; options: ServiceOptions; every: number }>([
  { description: "plain HTTP", options: {}, every: 1 },
  // The bytes are the same, and a handshake takes time.
  { description: "TLS", options: { tls: TLS }, every: 8 },
])("carry a read again whose response was cut after any number of bytes, over $description", async (row) => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const { length } = CUT_RESPONSE;
  const openSockets = watchSockets();
  const cuts = Array.from({ length: Math.floor(length / row.every) + 1 }, (_, index) => length - index * row.every);
  const batches = Map.groupBy(cuts, (_, index) => Math.floor(index / AT_ONCE));
  const readAll = async (batch: readonly number[]) => {
    const service = await openService(row.options);
    const client = openClient(service, { caCertificate: CA_FILE, maxRetries: 10 });
    // The first read lets the others begin at once.
    queueFaults(service, { delaySeconds: 0 }, ...batch.map((cutAfterBytes) => ({ cutAfterBytes })));
    const reads = await Promise.all([length, ...batch].map(() => client.get(MONITORING)));
    expect(new Set(reads.map(({ logPath }) => logPath))).toEqual(new Set([LOG_PATH]));
    await client.close();
    // Only a response that was cut before its end is requested again, and only once.
    const repeated = batch.filter((cutAfterBytes) => cutAfterBytes < length).length;
    const { 401: challenges = [], ...others } = Object.groupBy(service.requests, ({ status }) => status);
    expect([others[0]?.length, others[200]?.length]).toEqual([batch.length, 1 + repeated]);
    // A connection whose nonce was not accepted before the cut gets another challenge.
    expect(challenges.length).toBeLessThanOrEqual(AT_ONCE + batch.length);
  };
  await Promise.all([...batches.values()].map(readAll));
  expect(openSockets()).toBe(0);
});
