import type { ServerResponse } from "node:http";
import { Agent, Client, type Dispatcher, request } from "undici";
import { expect, test } from "vitest";
import { closeAfterTest, digestFor, openDigestAgent, readMany, readStatus } from "./digest-agent.ts";
import { acceptWith, refuse, startDigestServer, startScriptedServer } from "./digest-server.ts";
import type { LocalServer, Respond } from "./local-server.ts";

const CHALLENGE = refuse('Digest realm="r", nonce="n", qop="auth"');

function hold(): Respond {
  return () => {};
}

/** Ends the head of a response and leaves its body open. */
function openBody(statusCode: number): Respond {
  return (_request, response) => {
    response.writeHead(statusCode, { "WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"' }).write("begin");
  };
}

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write("x".repeat(16_384)));
  if (!response.destroyed) response.once("drain", () => pour(response));
}

async function read(dispatcher: Dispatcher, server: LocalServer, signal: AbortSignal): Promise<number> {
  const { statusCode, body } = await request(server.origin, { dispatcher, signal });
  await body.text();
  return statusCode;
}

const REASON = new Error("given up");

test("an abort while probing fails with its reason", async () => {
  const server = await startScriptedServer(hold());
  const controller = new AbortController();
  const reading = read(openDigestAgent(server), server, controller.signal);
  await server.reached(1);
  controller.abort(REASON);
  await expect(reading).rejects.toBe(REASON);
});

test("an abort during the refusal's body fails with its reason", async () => {
  const server = await startScriptedServer(openBody(401));
  const controller = new AbortController();
  const reading = read(openDigestAgent(server), server, controller.signal);
  await server.reached(1);
  controller.abort(REASON);
  await expect(reading).rejects.toBe(REASON);
});

test("an abort while the repeat is queued fails with its reason", async () => {
  const server = await startScriptedServer(CHALLENGE, hold());
  const client = closeAfterTest(new Client(server.origin));
  const dispatcher = client.compose(digestFor(server));
  const controller = new AbortController();
  const reading = read(dispatcher, server, controller.signal);
  const blocking = readStatus(client, server.origin).catch(() => {});
  await server.reached(2);
  controller.abort(REASON);
  await expect(Promise.race([reading, blocking])).rejects.toBe(REASON);
});

test("an abort during the body of the response fails with its reason", async () => {
  const server = await startScriptedServer(CHALLENGE, openBody(200));
  const controller = new AbortController();
  const { body } = await request(server.origin, { dispatcher: openDigestAgent(server), signal: controller.signal });
  controller.abort(REASON);
  await expect(body.text()).rejects.toBe(REASON);
});

test("the nonce stays usable after an abort during the body of the response", async () => {
  const server = await startScriptedServer(CHALLENGE, openBody(200), acceptWith({}));
  const agent = openDigestAgent(server);
  const controller = new AbortController();
  const { body } = await request(server.origin, { dispatcher: agent, signal: controller.signal });
  controller.abort(REASON);
  await body.text().catch(() => {});
  await readStatus(agent, server.origin);
  expect(server.requests).toHaveLength(3);
});

const MOMENTS: readonly {
  readonly description: string;
  readonly script: readonly [Respond, ...Respond[]];
  readonly requests: number;
}[] = [
  { description: "while probing", script: [hold()], requests: 1 },
  { description: "during the refusal's body", script: [openBody(401)], requests: 1 },
  { description: "while the repeated request waits for its response", script: [CHALLENGE, hold()], requests: 2 },
];

test.for(MOMENTS)("destroy $description ends every request and closes every socket", async ({ script, requests }) => {
  const server = await startScriptedServer(...script);
  const agent = new Agent();
  const reads = Array.from({ length: 16 }, () => readStatus(agent.compose(digestFor(server)), server.origin));
  const dispatcher = agent.compose(digestFor(server));
  const sharing = Array.from({ length: 16 }, () => readStatus(dispatcher, server.origin));
  const ended = Promise.allSettled([...reads, ...sharing]);
  await server.reached(requests);
  await agent.destroy();
  expect((await ended).map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => "rejected"));
  await server.deserted();
  expect(server.sockets.size).toBe(0);
});

test("close while reading leaves no request hanging", async () => {
  const server = await startDigestServer();
  const agent = new Agent();
  const reading = Promise.allSettled(
    Array.from({ length: 16 }, () => readStatus(agent.compose(digestFor(server)), server.origin)),
  );
  await server.reached(1);
  await agent.close();
  expect(await reading).toHaveLength(16);
});

test("an agent that is closed refuses a read", async () => {
  const server = { origin: "http://127.0.0.1:9" };
  const agent = new Agent();
  const dispatcher = agent.compose(digestFor(server));
  await agent.close();
  await expect(readStatus(dispatcher, server.origin)).rejects.toMatchObject({ code: "UND_ERR_DESTROYED" });
});

test("headersTimeout ends a probe", async () => {
  const server = await startScriptedServer(hold());
  const reading = request(server.origin, { dispatcher: openDigestAgent(server), headersTimeout: 50 });
  await expect(reading).rejects.toMatchObject({ code: "UND_ERR_HEADERS_TIMEOUT" });
});

test("an unreachable server fails every read", async () => {
  const server = { origin: "http://127.0.0.1:1" };
  const dispatcher = openDigestAgent(server);
  const reads = Array.from({ length: 16 }, () => readStatus(dispatcher, server.origin));
  const statuses = (await Promise.allSettled(reads)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(["rejected"]));
});

test("an endless refusal is cut and the read goes on", async () => {
  const server = await startScriptedServer((_request, response) => {
    response.writeHead(401, { "WWW-Authenticate": 'Digest realm="r", nonce="n"' });
    pour(response);
  }, acceptWith({}));
  expect(await readStatus(openDigestAgent(server), server.origin)).toBe(200);
});

test("a read succeeds after a refusal that breaks off", async () => {
  const server = await startScriptedServer((_request, response) => {
    response.writeHead(401, { "WWW-Authenticate": 'Digest realm="r", nonce="n"', "Content-Length": 1000 });
    response.write("begin", () => response.destroy());
  }, acceptWith({}));
  expect(await readStatus(openDigestAgent(server), server.origin)).toBe(200);
});

test("an agent works on after aborts at every moment", async () => {
  const server = await startDigestServer();
  const agent = openDigestAgent(server);
  const reads = Array.from({ length: 64 }, async (_, index) => {
    const controller = new AbortController();
    const reading = read(agent, server, controller.signal);
    for (let turn = 0; turn < index; turn += 1) await new Promise(setImmediate);
    controller.abort(REASON);
    await reading.catch(() => {});
  });
  await Promise.all(reads);
  expect(await readStatus(agent, server.origin)).toBe(200);
});

test("every refusal's connection is used again", async () => {
  const server = await startDigestServer({ nonces: { uses: 1 } });
  const client = closeAfterTest(new Client(server.origin));
  await readMany(client.compose(digestFor(server)), server.origin, 50, 1);
  expect(server.sockets.size).toBe(1);
});
