import { getEventListeners } from "node:events";
import { createServer as createHttpsServer } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import { describe, expect, it, vi } from "vitest";
import { digestProtection } from "../../sdk/testing/digest-protection.ts";
import { listen } from "../servers/listen.ts";
import { queueFaults } from "../testing/queue-faults.ts";
import { failureOf, KEYS, LOG_PATH, MONITORING, openClient, openClientOfRun, openService } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";

/** What a server does with a socket that has carried so many requests, the last of which asks for this. */
type Close = (socket: Socket, requests: number) => void;

interface Seen {
  readonly authorizations: (string | undefined)[];
  connections: number;
}

type Protection = ReturnType<typeof digestProtection>;

interface ClosingOptions {
  readonly isTls?: boolean;
  /** It ends each session of TLS that is resumed. */
  readonly refusesResumed?: boolean;
  /** @param connection the number of the connection, from 1 */
  readonly challengeFor?: (connection: number, ...request: Parameters<Protection>) => ReturnType<Protection>;
}

function challengesOfOne(): NonNullable<ClosingOptions["challengeFor"]> {
  const { publicKey: username, privateKey: password } = KEYS;
  const challengeFor = digestProtection({ realm: "r", username, password });
  return (_, ...request) => challengeFor(...request);
}

/** Starts a server that responds with the settings, and closes connections without a header that says so. */
async function startClosing(close: Close, options: ClosingOptions = {}) {
  const { isTls = false, refusesResumed = false, challengeFor = challengesOfOne() } = options;
  const seen: Seen = { authorizations: [], connections: 0 };
  const react = (socket: Socket) => {
    if (refusesResumed && socket instanceof TLSSocket && socket.isSessionReused()) return void socket.destroy();
    seen.connections += 1;
    const connection = seen.connections;
    let [requests, text] = [0, ""];
    socket.on("data", (chunk) => {
      text += String(chunk);
      if (!text.endsWith("\r\n\r\n") || socket.writableEnded) return;
      const [, target = ""] = text.split(" ");
      const [, authorization] = /^authorization: (.*)\r$/im.exec(text) ?? [];
      text = "";
      requests += 1;
      seen.authorizations.push(authorization);
      const challenge = challengeFor(connection, "GET", target, authorization);
      const body = challenge === undefined ? JSON.stringify({ logPath: LOG_PATH }) : "{}";
      const head = challenge === undefined ? "200 OK" : `401 Unauthorized\r\nWWW-Authenticate: ${challenge}`;
      socket.write(`HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      close(socket, requests);
    });
  };
  const server = isTls ? createTlsServer(TLS, react) : createServer(react);
  const port = await listen(server);
  return { baseUrl: `${isTls ? "https" : "http"}://127.0.0.1:${port}`, seen };
}

const closeAfter =
  (milliseconds: number): Close =>
  (socket) =>
    void setTimeout(() => socket.end(), milliseconds);

describe.each([false, true])(
  "a server that closes each connection behind its response is read, over TLS: %s,",
  (isTls) => {
    it.each([0, 1, 5].flatMap((milliseconds) => [0, 5].map((maxRetries) => ({ milliseconds, maxRetries }))))(
      "$milliseconds ms later, with $maxRetries retries",
      async ({ milliseconds, maxRetries }) => {
        const { baseUrl, seen } = await startClosing(closeAfter(milliseconds), { isTls });
        const client = openClient({ baseUrl }, { maxRetries, caCertificate: CA_FILE });
        for (let reads = 0; reads < 5; reads += 1) {
          expect(await client.get(MONITORING)).toMatchObject({ logPath: LOG_PATH });
        }
        const reads = await Promise.all(Array.from({ length: 200 }, () => client.get(MONITORING)));
        expect(new Set(reads.map(({ logPath }) => logPath))).toEqual(new Set([LOG_PATH]));
        // Sixteen connections ask for a challenge, one of them first.
        expect(seen.authorizations.filter((authorization) => authorization === undefined)).toHaveLength(16);
        expect(seen.authorizations).toHaveLength(205 + 16);
      },
    );
  },
);

// OpenSSL does so with optional client certificates and no session id context (rust-openssl#1235).
it("a server that closes each connection and ends each session that is resumed is read", async () => {
  const { baseUrl, seen } = await startClosing((socket) => void socket.end(), { isTls: true, refusesResumed: true });
  const client = openClient({ baseUrl }, { maxRetries: 0, caCertificate: CA_FILE });
  for (const connections of [2, 3, 4]) {
    expect(await client.get(MONITORING)).toMatchObject({ logPath: LOG_PATH });
    expect(seen.connections).toBe(connections);
  }
});

describe("a connection that the server closes", () => {
  it("while it is idle costs a later read nothing, without retries", async () => {
    const { baseUrl, seen } = await startClosing((socket, requests) => {
      if (requests === 2) socket.end();
    });
    const client = openClient({ baseUrl });
    // Each connection carries two requests.
    for (const connections of [1, 2, 2, 3]) {
      await client.get(MONITORING);
      expect(seen.connections).toBe(connections);
    }
  });

  it.each([
    { description: "reset behind each response", close: (socket: Socket) => void socket.resetAndDestroy() },
    { description: "closed behind a part of a response", close: (socket: Socket) => void socket.end("HTTP/1.1 2") },
  ])("is $description", async ({ close }) => {
    // The response is out before the socket is closed.
    const { baseUrl, seen } = await startClosing((socket, requests) => {
      if (requests === 2) setImmediate(() => close(socket));
    });
    const client = openClient({ baseUrl }, { maxRetries: 1 });
    for (let reads = 0; reads < 4; reads += 1) await client.get(MONITORING);
    expect(seen.connections).toBe(3);
  });

  it("twice in a row before a response fails the attempt", async () => {
    const service = await openService();
    const client = openClient(service);
    await client.get(MONITORING);
    queueFaults(service, "reset", "reset");
    expect(await failureOf(client)).toMatchObject({ code: "ERR_CONNECTION", temporary: true });
    expect(service.requests.map(({ status }) => status)).toEqual([401, 200, 0, 0]);
  });

  it("and that can't be opened again fails the attempt", async () => {
    const service = await openService();
    const client = openClient(service);
    await client.get(MONITORING);
    await service.close();
    expect(await failureOf(client)).toMatchObject({ message: expect.stringContaining("nothing listens there") });
  });

  it("before its first response fails the attempt immediately", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.once("data", () => socket.end());
    });
    const baseUrl = `http://127.0.0.1:${await listen(server)}`;
    const message = expect.stringMatching(
      /: the connection was cut before any response; if this port speaks TLS, write https: in baseUrl; otherwise check the port and any proxy, and try again \(/,
    );
    expect(await failureOf(openClient({ baseUrl }))).toMatchObject({ code: "ERR_CONNECTION", message });
    expect(connections).toBe(1);
  });

  it("in the middle of a response fails the attempt, and says nothing of whether the host can be reached", async () => {
    const service = await openService();
    const client = openClientOfRun(service);
    await client.get(MONITORING);
    for (const cutAfterBytes of [9, 200]) {
      queueFaults(service, { cutAfterBytes });
      await expect(client.get(MONITORING)).rejects.toMatchObject({ code: "ERR_CONNECTION" });
      expect(await client.get(MONITORING)).toMatchObject({ logPath: LOG_PATH });
    }
    expect(service.requests.filter(({ status }) => status === 0)).toHaveLength(2);
  });

  it("is one to another server behind a balancer, which refuses the nonce and not the key", async () => {
    const servers = ["a", "b"].map(() =>
      digestProtection({ realm: "r", username: KEYS.publicKey, password: KEYS.privateKey }),
    );
    // The servers do not say that they do not know a nonce.
    const { baseUrl, seen } = await startClosing((socket) => void socket.end(), {
      challengeFor: (connection, ...request) =>
        servers[connection === 1 ? 0 : 1]?.(...request)?.replace("stale=true", "stale=false"),
    });
    expect(await openClient({ baseUrl }).get(MONITORING)).toMatchObject({ logPath: LOG_PATH });
    expect(seen.authorizations).toHaveLength(3);
  });

  it("has a wrong key called wrong, after two signed requests", async () => {
    const { baseUrl, seen } = await startClosing((socket) => void socket.end());
    const failure = await failureOf(openClient({ baseUrl }, { privateKey: "private-key-0002" }));
    expect(failure).toMatchObject({ code: "ERR_WRONG_KEY" });
    expect(seen.authorizations.filter((sent) => sent !== undefined)).toHaveLength(2);
  });
});

it.each([
  ["TLSv1.2", "damaged", (chunk: Buffer) => chunk.fill(0, 5)],
  ["TLSv1.3", "damaged", (chunk: Buffer) => chunk.fill(0, 5)],
  ["TLSv1.2", "replaced by plain HTTP", (chunk: Buffer) => chunk.fill("HTTP/1.1 200 OK\r\n")],
  ["TLSv1.3", "replaced by plain HTTP", (chunk: Buffer) => chunk.fill("HTTP/1.1 200 OK\r\n")],
] as const)(
  "a record of %s that is %s fails the attempt at once, although the server says no more",
  async (version, _, damage) => {
    const options = { ...TLS, minVersion: version, maxVersion: version };
    const port = await listen(createHttpsServer(options, (_, response) => response.end('{"logPath":"/l"}')));
    let isDamaging = false;
    const relay = createServer((near) => {
      const far = connect(port, "127.0.0.1").on("error", () => {});
      near.on("error", () => {}).on("close", () => far.destroy());
      near.pipe(far);
      far.on("data", (chunk: Buffer) => {
        const [recordType] = chunk;
        // 23 is a record of a request or a response.
        if (isDamaging && recordType === 23) {
          damage(chunk);
          // The server does not learn what the client says of it.
          near.unpipe(far);
        }
        near.write(chunk);
      });
    });
    const baseUrl = `https://127.0.0.1:${await listen(relay)}`;
    const client = openClient({ baseUrl }, { caCertificate: CA_FILE, timeoutSeconds: 3 });
    await client.get(MONITORING);
    isDamaging = true;
    const message = expect.stringMatching(/: the connection was cut; try again, .*\(ERR_SSL_\w+\)/);
    expect(await failureOf(client)).toMatchObject({ code: "ERR_CONNECTION", temporary: true, message });
  },
);

it("sends the nonce with its next count, and the cookies, over the new connection", async () => {
  const service = await openService();
  const client = openClient(service);
  await client.get(MONITORING);
  queueFaults(service, "reset");
  await client.get(MONITORING);
  const sent = service.requests.map(({ headers }) => /nonce="([^"]+)".* nc=(\w+)/.exec(headers.authorization ?? ""));
  expect(sent.map((match) => match?.[2])).toEqual([undefined, "00000001", "00000002", "00000003"]);
  expect(new Set(sent.slice(1).map((match) => match?.[1])).size).toBe(1);
});

it("leaves no listener and no socket of connections that were closed", async () => {
  const signals: AbortSignal[] = [];
  const { addEventListener } = AbortSignal.prototype;
  const add = vi.spyOn(AbortSignal.prototype, "addEventListener").mockImplementation(function (
    this: AbortSignal,
    ...args
  ) {
    signals.push(this);
    addEventListener.apply(this, args);
  });
  const { baseUrl, seen } = await startClosing((socket) => void socket.end());
  const client = openClient({ baseUrl });
  for (let reads = 0; reads < 100; reads += 1) await client.get(MONITORING);
  add.mockRestore();
  expect(seen.connections).toBeGreaterThan(100);
  const listeners = [...new Set(signals)].flatMap((signal) => getEventListeners(signal, "abort"));
  expect(listeners).toEqual([]);
});

it("leaves no listener at a signal of many reads", async () => {
  const service = await openService();
  const client = openClient(service);
  const { signal } = new AbortController();
  const reads = Array.from({ length: 200 }, () => client.get(MONITORING, { signal }));
  expect(getEventListeners(signal, "abort")).toHaveLength(200);
  await Promise.all(reads);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
