import { type Dispatcher, interceptors } from "undici";
import { expect, test } from "vitest";
import type { NoncePolicy } from "../../sdk/testing/digest-protection.ts";
import { digestFor, openAgent, openConnections, openDigestAgent, readMany, readStatus } from "./digest-agent.ts";
import { acceptWith, refuse, startDigestServer, startScriptedServer } from "./digest-server.ts";
import { type LocalServer, type Respond, startLocalServer } from "./local-server.ts";
import { readAuthorization } from "./read-authorization.ts";

function credentialsSentTo(server: LocalServer): readonly Readonly<Record<string, string>>[] {
  const headers = server.requests.map((request) => request.headers.authorization);
  return headers.filter((header) => header !== undefined).map(readAuthorization);
}

test("counts are taken in the order of the calls", async () => {
  const server = await startDigestServer();
  const agent = openDigestAgent(server);
  await readStatus(agent, server.origin);
  const places = Array.from({ length: 16 }, (_, index) => index + 1);
  await Promise.all(places.map((place) => readStatus(agent, `${server.origin}/${place}`)));
  const expected = places.map((place) => [`/${place}`, (place + 1).toString(16).padStart(8, "0")]);
  const [, ...signed] = credentialsSentTo(server);
  expect(Object.fromEntries(signed.map(({ uri = "", nc }) => [uri, nc]))).toEqual(Object.fromEntries(expected));
});

type Open = (server: LocalServer) => Dispatcher;
const agent: Open = (server) => openDigestAgent(server);
const connections: Open = (server) => openConnections(server);

const REQUESTS: readonly {
  readonly description: string;
  readonly nonces: NoncePolicy;
  readonly open: Open;
  readonly reads: number;
  readonly atATime: number;
  readonly atMost: number;
}[] = [
  {
    description: "one at a time, nonces good for 1,023",
    nonces: {},
    open: agent,
    reads: 2100,
    atATime: 1,
    atMost: 2103,
  },
  { description: "16 at a time", nonces: {}, open: agent, reads: 800, atATime: 16, atMost: 816 },
  { description: "16 connections", nonces: {}, open: connections, reads: 800, atATime: 16, atMost: 816 },
  {
    description: "16 connections, one-time nonces that are announced",
    nonces: { uses: 1, announcesNext: true },
    open: connections,
    reads: 1600,
    atATime: 16,
    atMost: 1616,
  },
  {
    description: "16 connections, strict counts",
    nonces: { strictCounts: true },
    open: connections,
    reads: 1600,
    atATime: 16,
    atMost: 1616,
  },
  {
    description: "16 connections, one-time nonces",
    nonces: { uses: 1 },
    open: connections,
    reads: 160,
    atATime: 16,
    atMost: 320,
  },
  {
    description: "16 connections, nonces good for 5",
    nonces: { uses: 5 },
    open: connections,
    reads: 400,
    atATime: 16,
    atMost: 496,
  },
];

test.for(REQUESTS)(
  "$reads reads succeed with at most $atMost requests: $description",
  async ({ nonces, open, reads, atATime, atMost }) => {
    const server = await startDigestServer({ nonces });
    expect(await readMany(open(server), server.origin, reads, atATime)).toEqual({ 200: reads });
    expect(server.requests.length).toBeLessThanOrEqual(atMost);
  },
);

test("follows nextnonce with the same opaque", async () => {
  const server = await startScriptedServer(
    refuse('Digest realm="r", nonce="first", opaque="o", qop="auth"'),
    acceptWith({ "Authentication-Info": 'nextnonce="second"' }),
    acceptWith({}),
  );
  const agent = openDigestAgent(server);
  for (const _ of [1, 2]) await readStatus(agent, server.origin);
  expect(credentialsSentTo(server)[1]).toMatchObject({ nonce: "second", opaque: "o", nc: "00000001" });
});

test("a nonce goes on counting where nextnonce repeats it", async () => {
  const challenge = refuse('Digest realm="r", nonce="n", qop="auth"');
  const server = await startScriptedServer(challenge, acceptWith({ "Authentication-Info": 'nextnonce="n"' }));
  const agent = openDigestAgent(server);
  for (const _ of [1, 2, 3]) await readStatus(agent, server.origin);
  expect(credentialsSentTo(server).map(({ nc }) => nc)).toEqual(["00000001", "00000002", "00000003"]);
});

const SAME_NONCE = 'Digest realm="r", nonce="n", qop="auth"';
const OTHER_NONCES = [
  { description: "of another realm", challenge: 'Digest realm="other", nonce="n", qop="auth"' },
  { description: "with another opaque", challenge: `${SAME_NONCE}, opaque="o"` },
  { description: "for another algorithm", challenge: `${SAME_NONCE}, algorithm=SHA-256` },
  { description: "without qop", challenge: 'Digest realm="r", nonce="n"' },
];

test.for(OTHER_NONCES)("a nonce $description is another one", async ({ challenge }) => {
  const server = await startScriptedServer(refuse(SAME_NONCE), acceptWith({}), refuse(challenge), acceptWith({}));
  const agent = openDigestAgent(server);
  for (const _ of [1, 2]) await readStatus(agent, server.origin);
  expect(credentialsSentTo(server).map(({ nc = "00000001" }) => nc)).toEqual(["00000001", "00000002", "00000001"]);
});

const WRONG = { password: "another" };

test("a wrong key costs two requests and ends with the server's 401", async () => {
  const server = await startDigestServer();
  expect(await readStatus(openDigestAgent(server, WRONG), server.origin)).toBe(401);
  expect(server.requests).toHaveLength(2);
});

/** A user name that has other bytes in UTF-8 than in ISO-8859-1. */
const UMLAUTS = { username: "Jürgen", password: "p" };

/** Responds 200 to a user name in these bytes, and 401 to any other credentials. */
function acceptUser(bytes: string): Respond {
  return (seen, response) => {
    const { authorization } = seen.headers;
    const isRight = authorization !== undefined && readAuthorization(authorization)["username"] === bytes;
    const respond = isRight ? acceptWith({}) : refuse('Digest realm="r", nonce="n"');
    respond(seen, response);
  };
}

const ENCODINGS = [
  { description: "UTF-8", bytes: "J\xc3\xbcrgen", requests: 5 },
  { description: "ISO-8859-1", bytes: "J\xfcrgen", requests: 6 },
];

test.for(ENCODINGS)(
  "four reads with umlauts take $requests requests where the server expects $description",
  async (row) => {
    const server = await startScriptedServer(acceptUser(row.bytes));
    const agent = openDigestAgent(server, UMLAUTS);
    for (const _ of [1, 2, 3, 4]) expect(await readStatus(agent, server.origin)).toBe(200);
    expect(server.requests).toHaveLength(row.requests);
  },
);

test("a wrong key with umlauts costs three requests, one for each encoding", async () => {
  const server = await startScriptedServer(acceptUser("another"));
  expect(await readStatus(openDigestAgent(server, UMLAUTS), server.origin)).toBe(401);
  expect(server.requests).toHaveLength(3);
});

test("the encoding that a server names is the only one that is tried", async () => {
  const server = await startScriptedServer(refuse('Digest realm="r", nonce="n", charset=UTF-8'));
  await readStatus(openDigestAgent(server, UMLAUTS), server.origin);
  expect(server.requests).toHaveLength(2);
});

test("no other encoding is tried once the server has accepted one", async () => {
  const challenge = refuse('Digest realm="r", nonce="n"');
  const server = await startScriptedServer(challenge, acceptWith({}), challenge);
  const agent = openDigestAgent(server, UMLAUTS);
  for (const _ of [1, 2]) await readStatus(agent, server.origin);
  expect(new Set(credentialsSentTo(server).map(({ username }) => username))).toEqual(new Set(["J\xc3\xbcrgen"]));
});

test("another origin has a nonce of its own", async () => {
  const [one, other] = [await startDigestServer(), await startDigestServer()];
  const agent = openDigestAgent(one, { origins: [one.origin, other.origin] });
  for (const server of [one, other, one, other]) await readStatus(agent, server.origin);
  expect([one, other].map((server) => server.requests.length)).toEqual([3, 3]);
});

test("another interceptor has a nonce of its own", async () => {
  const server = await startDigestServer();
  for (const agent of [openDigestAgent(server), openDigestAgent(server)]) await readStatus(agent, server.origin);
  expect(server.requests).toHaveLength(4);
});

/** Starts a server that counts by opaque, as Apache httpd does: a client that sends an opaque keeps it. */
async function startCountingByOpaque(): Promise<LocalServer> {
  const counts = new Map<string, number>();
  let nonces = 0;
  return await startLocalServer((seen, response) => {
    const { authorization } = seen.headers;
    const { opaque = `opaque-${counts.size}`, nc = "" } =
      authorization === undefined ? {} : readAuthorization(authorization);
    const count = (counts.get(opaque) ?? 0) + 1;
    if (Number.parseInt(nc, 16) === count) {
      counts.set(opaque, count);
      setImmediate(() => response.end("accepted"));
      return;
    }
    counts.set(opaque, 0);
    nonces += 1;
    refuse(`Digest realm="r", nonce="nonce-${nonces}", opaque="${opaque}", qop="auth"`)(seen, response);
  });
}

test("800 reads succeed with at most 864 requests where counts are kept by opaque", async () => {
  const server = await startCountingByOpaque();
  expect(await readMany(openDigestAgent(server), server.origin, 800, 16)).toEqual({ 200: 800 });
  expect(server.requests.length).toBeLessThanOrEqual(800 * 1.08);
});

test("a server that asks for no credentials gets each read once", async () => {
  const server = await startScriptedServer(acceptWith({}));
  await readMany(openDigestAgent(server), server.origin, 32, 16);
  expect(server.requests).toHaveLength(32);
});

test("reads go on when the server forgets its nonces", async () => {
  const server = await startDigestServer({
    respond: (_request, response) => {
      if (server.requests.length === 400) server.restart();
      response.end();
    },
  });
  const agent = openAgent(digestFor(server), interceptors.retry({ minTimeout: 1, maxRetries: 3 }));
  expect(await readMany(agent, server.origin, 800, 16)).toEqual({ 200: 800 });
});
