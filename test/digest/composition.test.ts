import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  Agent,
  Client,
  type Dispatcher,
  EnvHttpProxyAgent,
  fetch,
  interceptors,
  Pool,
  pipeline,
  request,
  stream,
} from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { DigestController } from "../../sdk/digest/digest-controller.ts";
import { DigestProtection } from "../../sdk/testing/digest-protection.ts";
import { closeAfterTest, digestFor, openAgent, openDigestAgent, readMany, readStatus } from "./digest-agent.ts";
import { acceptWith, PASSWORD, refuse, startDigestServer, startScriptedServer, USERNAME } from "./digest-server.ts";
import { type Respond, startLocalServer } from "./local-server.ts";

type Interceptor = Dispatcher.DispatcherComposeInterceptor;

const CHALLENGE = refuse('Digest realm="r", nonce="n", qop="auth"');

const CALLS: readonly {
  readonly description: string;
  readonly read: (url: string, dispatcher: Dispatcher) => Promise<string>;
}[] = [
  {
    description: "request",
    read: async (url, dispatcher) => (await request(url, { dispatcher })).body.text(),
  },
  { description: "fetch", read: async (url, dispatcher) => (await fetch(url, { dispatcher })).text() },
  {
    description: "stream",
    read: async (url, dispatcher) => {
      const chunks: Buffer[] = [];
      const collect = new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk);
          done();
        },
      });
      await stream(url, { dispatcher, method: "GET" }, () => collect);
      return Buffer.concat(chunks).toString();
    },
  },
  {
    description: "pipeline, once a nonce is known",
    read: async (url, dispatcher) => {
      await readStatus(dispatcher, url);
      const duplex = pipeline(url, { dispatcher, method: "PUT" }, ({ body }) => body.pipe(new PassThrough()));
      duplex.end("content");
      return await text(duplex);
    },
  },
];

test.for(CALLS)("works with $description", async ({ read }) => {
  const server = await startDigestServer();
  expect(await read(server.origin, openDigestAgent(server))).toBe("accepted");
});

const DISPATCHERS: readonly { readonly description: string; readonly open: (origin: string) => Dispatcher }[] = [
  { description: "Agent", open: () => new Agent() },
  { description: "Pool", open: (origin) => new Pool(origin, { connections: 4 }) },
  { description: "Client", open: (origin) => new Client(origin) },
  { description: "Client with pipelining", open: (origin) => new Client(origin, { pipelining: 8 }) },
  {
    description: "EnvHttpProxyAgent",
    open: () => new EnvHttpProxyAgent({ httpProxy: "", httpsProxy: "", noProxy: "*" }),
  },
];

test.for(DISPATCHERS)("works on $description", async ({ open }) => {
  const server = await startDigestServer();
  const dispatcher = closeAfterTest(open(server.origin)).compose(digestFor(server));
  expect(await readMany(dispatcher, server.origin, 64, 16)).toEqual({ 200: 64 });
});

test("works on a Client that is given no origin", async () => {
  const server = await startDigestServer();
  const dispatcher = closeAfterTest(new Client(server.origin)).compose(digestFor(server));
  const { statusCode, body } = await dispatcher.request({ path: "/", method: "GET" });
  await body.dump();
  expect(statusCode).toBe(200);
});

test("works through a proxy", async () => {
  const server = await startDigestServer();
  const proxy = await startLocalServer((seen, response) => {
    const { pathname, search } = new URL(seen.target);
    const { host: _, connection: __, "proxy-connection": ___, ...headers } = seen.headers;
    request(`${server.origin}${pathname}${search}`, { headers, dispatcher: closing }).then(async (forwarded) => {
      response.writeHead(forwarded.statusCode, forwarded.headers).end(await forwarded.body.text());
    });
  });
  const closing = closeAfterTest(new Agent());
  const options = { httpProxy: proxy.origin, proxyTunnel: false, noProxy: "" };
  const dispatcher = closeAfterTest(new EnvHttpProxyAgent(options)).compose(digestFor(server));
  expect(await readStatus(dispatcher, `${server.origin}/a?b=c`)).toBe(200);
});

function pem(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");
}

async function startHttp2Server(): Promise<{ readonly origin: string; readonly versions: readonly string[] }> {
  const versions: string[] = [];
  const protection = new DigestProtection({ realm: "h2", username: USERNAME, password: PASSWORD });
  const identity = { key: pem("test-only-key.pem"), cert: pem("test-only-certificate.pem") };
  const server = createSecureServer(identity, (incoming, response) => {
    versions.push(incoming.httpVersion);
    const verdict = protection.judge(incoming.method, incoming.url, incoming.headers.authorization);
    if (verdict.accepted) response.end("accepted");
    else response.writeHead(401, { "WWW-Authenticate": ['Basic realm="b"', verdict.challenge] }).end("refused");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.");
  return { origin: `https://127.0.0.1:${address.port}`, versions };
}

function openHttp2Agent(server: { readonly origin: string }): Dispatcher {
  const connect = { ca: pem("test-only-certificate.pem") };
  return closeAfterTest(new Agent({ allowH2: true, connect })).compose(digestFor(server));
}

test("works over HTTP/2, with a challenge for each request that starts before the first nonce", async () => {
  const server = await startHttp2Server();
  expect(await readMany(openHttp2Agent(server), server.origin, 64, 16)).toEqual({ 200: 64 });
  expect(server.versions).toEqual(Array.from({ length: 64 + 16 }, () => "2.0"));
});

const retry = () => interceptors.retry({ minTimeout: 1 });

const INTERCEPTORS: readonly {
  readonly description: string;
  readonly list: (digest: Interceptor) => readonly Interceptor[];
}[] = [
  { description: "retry in front", list: (digest) => [digest, retry()] },
  { description: "retry below", list: (digest) => [retry(), digest] },
  { description: "redirect in front", list: (digest) => [digest, interceptors.redirect({ maxRedirections: 3 })] },
  { description: "redirect below", list: (digest) => [interceptors.redirect({ maxRedirections: 3 }), digest] },
  { description: "dump in front", list: (digest) => [digest, interceptors.dump({ maxSize: 1_000 })] },
  { description: "responseError in front", list: (digest) => [digest, interceptors.responseError()] },
  { description: "dns below", list: (digest) => [interceptors.dns(), digest] },
  { description: "cache in front", list: (digest) => [digest, interceptors.cache()] },
  { description: "another one of its kind", list: (digest) => [digest, digest] },
];

test.for(INTERCEPTORS)("works with $description", async ({ list }) => {
  const server = await startDigestServer();
  expect(await readMany(openAgent(...list(digestFor(server))), server.origin, 32, 16)).toEqual({ 200: 32 });
});

test("retry in front repeats what the server failed to do", async () => {
  const fail: Respond = (_request, response) => response.writeHead(503).end();
  const server = await startScriptedServer(CHALLENGE, fail, acceptWith({}));
  expect(await readStatus(openAgent(digestFor(server), retry()), server.origin)).toBe(200);
});

test("responds to a challenge that comes after a retry below", async () => {
  const server = await startScriptedServer((_request, response) => response.destroy(), CHALLENGE, acceptWith({}));
  expect(await readStatus(openAgent(retry(), digestFor(server)), server.origin)).toBe(200);
});

const QUERIES = [
  { description: "pairs", path: "/a", query: { b: "c d", e: ["1", "2"] }, expected: "/a?b=c%20d&e=1&e=2" },
  { description: "nothing", path: "/a", query: {}, expected: "/a" },
];

test.for(QUERIES)("signs a query that is an option: $description", async ({ path, query, expected }) => {
  const server = await startDigestServer();
  const options = { origin: server.origin, path, query, method: "GET" };
  const { statusCode, body } = await openDigestAgent(server).request(options);
  await body.dump();
  expect([statusCode, server.requests[1]?.target]).toEqual([200, expected]);
});

test("leaves a query beside a path with one to undici, which refuses it", async () => {
  const server = await startDigestServer();
  const options = { origin: server.origin, path: "/a?b", query: { c: "d" }, method: "GET" };
  await expect(openDigestAgent(server).request(options)).rejects.toThrow("Query params cannot be passed");
});

const HEADERS: readonly { readonly description: string; readonly headers: Dispatcher.DispatchOptions["headers"] }[] = [
  { description: "an object", headers: Object.freeze({ "X-One": "1", "X-Many": Object.freeze(["2", "3"]).slice() }) },
  { description: "a flat array", headers: Object.freeze(["X-One", "1", "X-Many", "2", "X-Many", "3"]).slice() },
  {
    description: "Headers",
    headers: new Headers([
      ["X-One", "1"],
      ["X-Many", "2"],
      ["X-Many", "3"],
    ]),
  },
  {
    description: "a Map",
    headers: Object.freeze(
      new Map<string, string | string[]>([
        ["X-One", "1"],
        ["X-Many", ["2", "3"]],
      ]),
    ),
  },
];

function inspectHeaders(headers: object | null): string {
  return JSON.stringify(headers !== null && Symbol.iterator in headers ? Array.from(Object(headers)) : headers);
}

test.for(HEADERS)("sends the caller's headers each time, unchanged: $description", async ({ headers = null }) => {
  const before = inspectHeaders(headers);
  const server = await startDigestServer();
  const { body } = await openDigestAgent(server).request({ origin: server.origin, path: "/", method: "GET", headers });
  await body.dump();
  const sent = server.requests.map((seen) => [seen.headers["x-one"], seen.headers["x-many"]]);
  expect(sent).toEqual([
    ["1", "2, 3"],
    ["1", "2, 3"],
  ]);
  expect(inspectHeaders(headers)).toBe(before);
});

test("leaves the caller's options as they are", async () => {
  const server = await startDigestServer();
  const options = Object.freeze({ origin: server.origin, path: "/", method: "GET", query: Object.freeze({ a: "b" }) });
  const { statusCode, body } = await openDigestAgent(server).request(options);
  await body.dump();
  expect(statusCode).toBe(200);
});

const OWN_AUTHORIZATION: readonly {
  readonly description: string;
  readonly headers: Dispatcher.DispatchOptions["headers"];
}[] = [
  { description: "an object", headers: { AUTHORIZATION: "Bearer own" } },
  { description: "a flat array", headers: ["X-One", "1", "Authorization", "Bearer own"] },
  { description: "Headers", headers: new Headers({ Authorization: "Bearer own" }) },
  { description: "a Map", headers: new Map([["authorization", "Bearer own"]]) },
];

test.for(OWN_AUTHORIZATION)(
  "leaves a request with its own Authorization alone: $description",
  async ({ headers = null }) => {
    const server = await startDigestServer();
    const { body } = await openDigestAgent(server).request({
      origin: server.origin,
      path: "/",
      method: "GET",
      headers,
    });
    await body.dump();
    expect(server.requests.map((seen) => seen.headers.authorization)).toEqual(["Bearer own"]);
  },
);

test("works with HEAD", async () => {
  const server = await startDigestServer();
  const { statusCode, body } = await request(server.origin, { dispatcher: openDigestAgent(server), method: "HEAD" });
  await body.dump();
  expect(statusCode).toBe(200);
});

test("passes informational responses on", async () => {
  const seen: number[] = [];
  const server = await startDigestServer({
    respond: (_request, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.end("accepted");
    },
  });
  const onInfo = ({ statusCode }: { readonly statusCode: number }) => seen.push(statusCode);
  const options = {
    origin: server.origin,
    path: "/",
    method: "GET",
    onInfo: (info: { statusCode: number }) => void onInfo(info),
  };
  const { body } = await openDigestAgent(server).request(options);
  await body.dump();
  expect(seen).toEqual([103]);
});

test("passes trailers on", async () => {
  const server = await startDigestServer({
    respond: (_request, response) => {
      response.setHeader("Trailer", "X-End");
      response.write("accepted");
      response.addTrailers({ "X-End": "yes" });
      response.end();
    },
  });
  const { body, trailers } = await request(server.origin, { dispatcher: openDigestAgent(server) });
  await body.dump();
  expect(trailers).toEqual({ "x-end": "yes" });
});

test("a body that is read slowly arrives whole", async () => {
  const content = "x".repeat(3_000_000);
  const server = await startDigestServer({ respond: (_request, response) => response.end(content) });
  const { body } = await request(server.origin, { dispatcher: openDigestAgent(server), highWaterMark: 1 });
  expect(await body.text()).toBe(content);
});

test("works with a server that closes each connection", async () => {
  const server = await startScriptedServer(
    (seen, response) => {
      response.setHeader("Connection", "close");
      CHALLENGE(seen, response);
    },
    acceptWith({ Connection: "close" }),
  );
  expect(await readMany(openDigestAgent(server), server.origin, 32, 16)).toEqual({ 200: 32 });
});

/** The names of the events of one POST, in the order in which the caller's handler gets them. */
async function eventsOf(dispatcher: Dispatcher, origin: string): Promise<readonly string[]> {
  const events: string[] = [];
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const note = (name: string) => () => void events.push(name);
  dispatcher.dispatch(
    { origin, path: "/", method: "POST", body: "content" },
    {
      onRequestStart: note("onRequestStart"),
      onBodySent: note("onBodySent"),
      onRequestSent: note("onRequestSent"),
      onResponseStarted: note("onResponseStarted"),
      onResponseStart: note("onResponseStart"),
      onResponseData: note("onResponseData"),
      onResponseEnd: () => resolve(note("onResponseEnd")()),
      onResponseError: (_controller, error) => reject(error),
    },
  );
  await ended;
  return events;
}

test("passes on all that undici tells of a request", async () => {
  const open = await startScriptedServer(acceptWith({}));
  const expected = await eventsOf(openAgent(), open.origin);
  const protectedServer = await startDigestServer();
  const agent = openDigestAgent(protectedServer);
  await readStatus(agent, protectedServer.origin);
  expect(await eventsOf(agent, protectedServer.origin)).toEqual(expected);
  expect(expected).toContain("onRequestSent");
});

test("authenticates a request with a header whose name is as long as Authorization", async () => {
  const server = await startDigestServer();
  const headers = { "cache-control": "no-cache" };
  const { statusCode, body } = await request(server.origin, { dispatcher: openDigestAgent(server), headers });
  await body.dump();
  expect(statusCode).toBe(200);
});

test("pauses the response of a request that was paused before it was sent", () => {
  const wire = { aborted: false, paused: false, reason: null, abort() {}, pause: vi.fn(), resume: vi.fn() };
  const controller = new DigestController(() => {});
  controller.pause();
  controller.follow(wire);
  expect(wire.pause).toHaveBeenCalledOnce();
  controller.resume();
  expect(wire.resume).toHaveBeenCalledOnce();
});
