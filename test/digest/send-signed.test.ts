import type { ServerResponse } from "node:http";
import { Client } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { Cookies } from "../../sdk/client/cookies.ts";
import { DigestKey, DigestSession } from "../../sdk/digest/digest-session.ts";
import { type DigestConnection, sendSigned } from "../../sdk/digest/send-signed.ts";
import { type LocalServer, type Respond, startLocalServer } from "./local-server.ts";
import { readAuthorization } from "./read-authorization.ts";

const CHALLENGE = 'Digest realm="r", nonce="n", qop="auth"';
const CHALLENGED = { "WWW-Authenticate": CHALLENGE };
const challenge: Respond = (_, response) => void response.writeHead(401, CHALLENGED).end("refused");
const accept: Respond = (_, response) => void response.end("accepted");
const hold: Respond = () => {};

/** Starts a server that gives each request the next of these responses, and the last one to all that follow. */
function start(...script: readonly Respond[]): Promise<LocalServer> {
  let step = 0;
  return startLocalServer((request, response) => {
    step += 1;
    script[Math.min(step, script.length) - 1]?.(request, response);
  });
}

interface OpenConnection extends DigestConnection {
  readonly replace: ReturnType<typeof vi.fn<() => void>>;
}

function connectTo({ origin }: Pick<LocalServer, "origin">): OpenConnection {
  const client = new Client(origin, { headersTimeout: 0, bodyTimeout: 500, maxResponseSize: 65_536 });
  onTestFinished(() => client.destroy());
  return {
    session: new DigestSession(new DigestKey({ username: "u", password: "p" })),
    cookies: new Cookies(),
    dispatch: client.dispatch.bind(client),
    replace: vi.fn<() => void>(),
    destroy: () => client.destroy(),
  };
}

const READ = { path: "/read?a=b", method: "GET", headers: { accept: "application/json" } } as const;

async function read(connection: DigestConnection): Promise<string> {
  const { status, body } = await sendSigned(connection, READ, new AbortController().signal);
  return `${status} ${Buffer.from(body)}`;
}

test("a challenge is answered on the same connection, with the request's own headers", async () => {
  const server = await start(challenge, accept);
  expect(await read(connectTo(server))).toBe("200 accepted");
  const [bare, signed] = server.requests;
  expect([bare?.headers.authorization, bare?.headers.accept]).toEqual([undefined, "application/json"]);
  expect(signed?.headers.accept).toBe("application/json");
  expect(readAuthorization(signed?.headers.authorization)).toMatchObject({ uri: "/read?a=b", nc: "00000001" });
  expect(server.sockets.size).toBe(1);
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

test.for(BODIES)("a challenge whose body $description is answered all the same", async ({ send }) => {
  const server = await start((_, response) => send(response.writeHead(401, CHALLENGED)), accept);
  expect(await read(connectTo(server))).toBe("200 accepted");
  expect(server.requests).toHaveLength(2);
});

test.for(BODIES)("settings whose body $description are a failure", async ({ send }) => {
  const server = await start((_, response) => send(response.writeHead(200)));
  await expect(read(connectTo(server))).rejects.toThrow();
});

test.for(BODIES)("a final refusal whose body $description is a failure", async ({ send }) => {
  const server = await start(challenge, (_, response) => send(response.writeHead(401, CHALLENGED)));
  await expect(read(connectTo(server))).rejects.toThrow();
  expect(server.requests).toHaveLength(2);
});

test("a wrong key costs two requests and ends with the server's refusal", async () => {
  const server = await start(challenge);
  expect(await read(connectTo(server))).toBe("401 refused");
  expect(server.requests).toHaveLength(2);
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
  { description: "while it asks for a challenge", script: [hold], requests: 1 },
  { description: "after its challenge", script: [challenge, hold], requests: 2 },
])("a request that is given up $description sends no other, and leaves a connection that works", async (row) => {
  const server = await start(...row.script, accept);
  const connection = connectTo(server);
  const controller = new AbortController();
  const sending = sendSigned(connection, READ, controller.signal).catch(() => "given up");
  await server.reached(row.requests);
  controller.abort();
  expect(await sending).toBe("given up");
  expect(server.requests).toHaveLength(row.requests);
  expect(connection.replace).not.toHaveBeenCalled();
  expect(await read(connection)).toBe("200 accepted");
});

test("a request that is given up in the body of its challenge sends no other", async () => {
  const server = await start((_, response) => void response.writeHead(401, CHALLENGED).write("begin"), accept);
  const connection = connectTo(server);
  const started = Promise.withResolvers<void>();
  const watched: DigestConnection = {
    ...connection,
    dispatch(request, handler) {
      const start = handler.onResponseStart?.bind(handler);
      handler.onResponseStart = (...head) => {
        start?.(...head);
        started.resolve();
      };
      return connection.dispatch(request, handler);
    },
  };
  const controller = new AbortController();
  const sending = sendSigned(watched, READ, controller.signal).catch(() => "given up");
  await started.promise;
  controller.abort();
  expect(await sending).toBe("given up");
  expect(server.requests).toHaveLength(1);
});

test("a request that is given up as its challenge ends sends no other", async () => {
  const server = await start(challenge, accept);
  const connection = connectTo(server);
  const controller = new AbortController();
  const watched: DigestConnection = {
    ...connection,
    dispatch(options, handler) {
      const end = handler.onResponseEnd?.bind(handler);
      handler.onResponseEnd = (...last) => {
        end?.(...last);
        controller.abort(new Error("given up"));
      };
      return connection.dispatch(options, handler);
    },
  };
  await expect(sendSigned(watched, READ, controller.signal)).rejects.toThrow("given up");
  expect(server.requests).toHaveLength(1);
});

test("a request that is given up before it has a socket has its connection replaced", async () => {
  const connection = connectTo(await start(accept));
  const controller = new AbortController();
  sendSigned(connection, READ, controller.signal).catch(() => {});
  controller.abort();
  expect(connection.replace).toHaveBeenCalledOnce();
});
