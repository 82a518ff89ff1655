import { type Dispatcher, fetch, interceptors, request } from "undici";
import { expect, test } from "vitest";
import { digestWith, openAgent, openDigestAgent, readMany, readStatus } from "./digest-agent.ts";
import { type DigestServer, refuse, startDigestServer } from "./digest-server.ts";
import { type LocalServer, startLocalServer } from "./local-server.ts";

const redirect = () => interceptors.redirect({ maxRedirections: 3 });
const retry = () => interceptors.retry({ minTimeout: 1 });
const dump = () => interceptors.dump({ maxSize: 1_000_000 });

/** A server that asks for an answer, and leads there from another one that does so too. */
async function startTwo(status = 302): Promise<{ readonly leading: DigestServer; readonly target: LocalServer }> {
  const target = await startLocalServer(refuse('Digest realm="t", nonce="n", qop="auth"'));
  const leading = await startDigestServer({
    respond: (_request, response) => response.writeHead(status, { Location: `${target.origin}/landed` }).end(),
  });
  return { leading, target };
}

const ORDERS: readonly { readonly description: string; readonly open: () => Dispatcher }[] = [
  { description: "redirect in front", open: () => openAgent(digestWith(), redirect()) },
  { description: "redirect behind", open: () => openAgent(redirect(), digestWith()) },
  { description: "redirect in front, retry between", open: () => openAgent(digestWith(), retry(), redirect()) },
  { description: "redirect behind, retry between", open: () => openAgent(redirect(), retry(), digestWith()) },
  { description: "redirect and retry in front", open: () => openAgent(digestWith(), redirect(), retry()) },
  { description: "redirect and retry behind", open: () => openAgent(retry(), redirect(), digestWith()) },
  { description: "redirect in front, dump between", open: () => openAgent(digestWith(), dump(), redirect()) },
  {
    description: "redirect in front, responseError between",
    open: () => openAgent(digestWith(), interceptors.responseError(), redirect()),
  },
  {
    description: "redirect in front, another interceptor of this kind between",
    open: () => openAgent(digestWith(), digestWith({ origins: [] }), redirect()),
  },
];

test.for(ORDERS)("gives no answer to where a redirect leads: $description", async ({ open }) => {
  const { leading, target } = await startTwo();
  await readStatus(open(), `${leading.origin}/start`).catch(() => {});
  expect(target.requests.map((seen) => [seen.target, seen.headers.authorization])).toEqual([["/landed", undefined]]);
});

test.for(ORDERS)("gives no answer where a redirect leads once a nonce is known: $description", async ({ open }) => {
  const { leading, target } = await startTwo(307);
  const dispatcher = open();
  for (const _ of [1, 2]) await readStatus(dispatcher, `${leading.origin}/start`).catch(() => {});
  expect(target.requests.filter((seen) => seen.headers.authorization !== undefined)).toEqual([]);
});

test("answers the origins that are named, wherever a redirect comes from", async () => {
  const target = await startDigestServer();
  const leading = await startDigestServer({
    respond: (_request, response) => response.writeHead(302, { Location: target.origin }).end(),
  });
  const dispatcher = openAgent(digestWith({ origins: [leading.origin, target.origin] }), redirect());
  expect(await readStatus(dispatcher, leading.origin)).toBe(200);
});

test("answers no origin but those that are named", async () => {
  const server = await startDigestServer();
  const dispatcher = openDigestAgent({ origins: ["https://example.com"] });
  expect(await readStatus(dispatcher, server.origin)).toBe(401);
});

test("gives fetch no answer where a redirect leads that is not named", async () => {
  const { leading, target } = await startTwo();
  await (await fetch(leading.origin, { dispatcher: openDigestAgent({ origins: [leading.origin] }) })).text();
  expect(target.requests.map((seen) => seen.headers.authorization)).toEqual([undefined]);
});

const SAME_ORIGIN = ORDERS.filter(({ description }) => !/dump|responseError/.test(description));

test.for(SAME_ORIGIN)("answers where a redirect within the origin leads: $description", async ({ open }) => {
  const server = await startDigestServer({
    respond: (seen, response) => {
      if (seen.target === "/landed?a=b") response.end();
      else response.writeHead(302, { Location: "/landed?a=b" }).end();
    },
  });
  const dispatcher = open();
  expect(await readMany(dispatcher, `${server.origin}/start`, 32, 16)).toEqual({ 200: 32 });
});

test("a redirect behind goes on where a server refuses another target by 400", async () => {
  const server = await startLocalServer((seen, response) => {
    const { authorization } = seen.headers;
    if (authorization === undefined) refuse('Digest realm="r", nonce="n"')(seen, response);
    else if (!authorization.includes(`uri="${seen.target}"`)) response.writeHead(400).end();
    else if (seen.target === "/start") response.writeHead(302, { Location: "/landed" }).end();
    else response.end();
  });
  expect(await readStatus(openAgent(redirect(), digestWith()), `${server.origin}/start`)).toBe(200);
});

test("a redirect behind that makes a POST a GET is not followed by a POST", async () => {
  const server = await startDigestServer({
    respond: (_request, response) => response.writeHead(303, { Location: "/landed" }).end(),
  });
  const dispatcher = openAgent(redirect(), digestWith());
  const { body } = await request(`${server.origin}/start`, { dispatcher, method: "POST", body: "content" });
  await body.dump();
  expect(server.requests.map((seen) => `${seen.method} ${seen.target}`)).toEqual([
    "POST /start",
    "POST /start",
    "GET /landed",
  ]);
});

test("a redirect in front that makes a POST a GET is followed by a GET", async () => {
  const server = await startDigestServer({
    respond: (seen, response) => {
      if (seen.target === "/landed") response.end();
      else response.writeHead(303, { Location: "/landed" }).end();
    },
  });
  const dispatcher = openAgent(digestWith(), redirect());
  const options = { dispatcher, method: "POST", body: "content" } as const;
  const { statusCode, body } = await request(`${server.origin}/start`, options);
  await body.dump();
  expect(statusCode).toBe(200);
});
