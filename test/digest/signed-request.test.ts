import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Client } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { type DigestConnection, sendSigned } from "../../sdk/digest/signed-request.ts";
import { Connection } from "../../sdk/transport/connection.ts";
import { listen } from "../servers/listen.ts";
import { newKey } from "./open-session.ts";
import { readAuthorization } from "./read-authorization.ts";

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

const CHALLENGE = 'Digest realm="r", nonce="n", qop="auth"';
const CHALLENGED = { "WWW-Authenticate": CHALLENGE };
const challenge: Respond = (_, response) => void response.writeHead(401, CHALLENGED).end("refused");
const accept: Respond = (_, response) => void response.end("accepted");
const hold: Respond = () => {};

/** Starts a server that gives each request the next of these responses, and the last one to all that follow. */
async function start(...script: readonly Respond[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    script[Math.min(requests.length, script.length) - 1]?.(request, response);
    server.emit("received");
  });
  return {
    origin: `http://127.0.0.1:${await listen(server)}`,
    requests,
    /** Resolves once the server has received this many requests. */
    async reached(count: number): Promise<void> {
      while (requests.length < count) await once(server, "received");
    },
  };
}

function connectTo({ origin }: { readonly origin: string }): Connection {
  const open = () => new Client(origin, { headersTimeout: 0, bodyTimeout: 500, maxResponseSize: 65_536 });
  const connection = new Connection(newKey(), open);
  onTestFinished(() => connection.destroy());
  return connection;
}

const READ = {
  origin: "http://127.0.0.1",
  path: "/read?a=b",
  method: "GET",
  headers: { accept: "application/json" },
} as const;

async function read(connection: DigestConnection): Promise<string> {
  const { status, body } = await sendSigned(connection, READ, () => false);
  return `${status} ${Buffer.from(body)}`;
}

test("a challenge is answered on the same connection, with the request's own headers", async () => {
  const server = await start(challenge, accept);
  expect(await read(connectTo(server))).toBe("200 accepted");
  const [bare, signed] = server.requests;
  expect([bare?.headers.authorization, bare?.headers.accept]).toEqual([undefined, "application/json"]);
  expect(signed?.headers.accept).toBe("application/json");
  expect(readAuthorization(signed?.headers.authorization)).toMatchObject({ uri: "/read?a=b", nc: "00000001" });
  expect(new Set(server.requests.map(({ socket }) => socket)).size).toBe(1);
});

test("a cookie of the challenge goes back with its answer", async () => {
  const server = await start((_, response) => {
    response.writeHead(401, { ...CHALLENGED, "Set-Cookie": ["server=1; Path=/", "other=2"] }).end();
  }, accept);
  await read(connectTo(server));
  expect(server.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, "server=1; other=2"]);
});

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write("x".repeat(16_384)));
  if (!response.destroyed) response.once("drain", () => pour(response));
}

const BODIES: readonly { readonly description: string; readonly send: (response: ServerResponse) => void }[] = [
  { description: "breaks off", send: (response) => response.write("begin", () => response.destroy()) },
  { description: "stops in the middle", send: (response) => response.write("begin") },
  { description: "never ends", send: pour },
];

test.for(BODIES)("a body that $description fails settings and a final refusal, and no challenge", async ({ send }) => {
  const challenged = await start((_, response) => send(response.writeHead(401, CHALLENGED)), accept);
  const settings = await start((_, response) => send(response.writeHead(200)));
  const refused = await start(challenge, (_, response) => send(response.writeHead(401, CHALLENGED)));
  const servers = [challenged, settings, refused];
  const ends = servers.map((server) => read(connectTo(server)).catch(() => "failed"));
  expect(await Promise.all(ends)).toEqual(["200 accepted", "failed", "failed"]);
  expect(servers.map(({ requests }) => requests.length)).toEqual([2, 1, 2]);
});

/** A challenge with a nonce of its own, as from servers that do not know each other's nonces. */
const challengeWith =
  (nonce: string, stale = false): Respond =>
  (_, response) => {
    const header = `Digest realm="r", nonce="${nonce}", qop="auth", stale=${stale}`;
    void response.writeHead(401, { "WWW-Authenticate": header }).end("refused");
  };

test.for([
  { description: "a success", status: 200, last: "200 accepted" },
  { description: "a redirect", status: 302, last: "200 accepted" },
  { description: "an error of a gateway", status: 503, last: "401 refused" },
])("a fresh nonce may be refused once more after $description: $last", async ({ status, last }) => {
  const answer: Respond = (_, response) => void response.writeHead(status).end();
  const server = await start(challenge, answer, challengeWith("a"), challengeWith("b"), accept);
  const connection = connectTo(server);
  await read(connection);
  expect(await read(connection)).toBe(last);
});

test("a refusal that valid credentials alone get is the caller's, unless it has a stale challenge or nothing was signed", async () => {
  const server = await start(challengeWith("a"), challengeWith("b", true), challengeWith("c"), accept);
  const { status, refusal: refused, isSigned } = await sendSigned(connectTo(server), READ, () => true);
  expect([status, refused, isSigned, server.requests.length]).toEqual([401, undefined, true, 3]);
});

test("a cookie of a connection that was replaced is not sent", async () => {
  const server = await start((_, response) => void response.writeHead(200, { "Set-Cookie": "a=1" }).end(), accept);
  const connection = connectTo(server);
  await read(connection);
  connection.replace();
  await read(connection);
  expect(server.requests[1]?.headers.cookie).toBeUndefined();
});

test("a refusal without a challenge is the caller's", async () => {
  const server = await start((_, response) => void response.writeHead(401).end("who are you"));
  expect(await read(connectTo(server))).toBe("401 who are you");
});

test("a challenge that can't be answered is a failure after one request, and the next request goes on", async () => {
  const basic: Respond = (_, response) => void response.writeHead(401, { "WWW-Authenticate": 'Basic realm="b"' }).end();
  const server = await start(basic, challenge, accept);
  const connection = connectTo(server);
  await expect(read(connection)).rejects.toThrow("it offers basic instead of Digest");
  expect(await read(connection)).toBe("200 accepted");
});

test("an informational response is none", async () => {
  const server = await start((_, response) => {
    response.writeProcessing();
    response.end("accepted");
  });
  expect(await read(connectTo(server))).toBe("200 accepted");
});

test.for([
  { description: "before it is sent", script: [], requests: 0 },
  { description: "while it asks for a challenge", script: [hold], requests: 1 },
  { description: "after its challenge", script: [challenge, hold], requests: 2 },
])(
  "a request whose connection is replaced $description fails and is not sent again, and the next one is",
  async (row) => {
    const server = await start(...row.script, accept);
    const connection = connectTo(server);
    const sending = read(connection).catch(({ name }) => name);
    await server.reached(row.requests);
    connection.replace();
    expect(await sending).toMatch(/Error$/);
    expect(server.requests).toHaveLength(row.requests);
    expect(await read(connection)).toBe("200 accepted");
  },
);

const LATE: readonly { readonly event: "onResponseStart" | "onResponseEnd"; readonly respond: Respond }[] = [
  { event: "onResponseStart", respond: (_, response) => response.writeHead(401, CHALLENGED).write("begin") },
  { event: "onResponseEnd", respond: challenge },
];

test.for(LATE)("a request whose connection is replaced at $event of its challenge sends no other", async (row) => {
  const server = await start(row.respond, accept);
  const connection = connectTo(server);
  const { session, cookies, dispatcher } = connection;
  const watched: DigestConnection["dispatcher"] = {
    dispatch(request, handler) {
      const next: ((...args: never) => void) | undefined = handler[row.event]?.bind(handler);
      handler[row.event] = (...args: never) => {
        next?.(...args);
        connection.replace();
      };
      return dispatcher.dispatch(request, handler);
    },
  };
  const replaceable: DigestConnection = {
    session,
    cookies,
    noteResponse: () => {},
    mayResend: () => false,
    get dispatcher() {
      return connection.dispatcher === dispatcher ? watched : connection.dispatcher;
    },
  };
  await expect(sendSigned(replaceable, READ, () => false)).rejects.toThrow(/destroyed/);
  expect(server.requests).toHaveLength(1);
});
