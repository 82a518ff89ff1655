import { type Dispatcher, fetch, interceptors, request } from "undici";
import { expect, test } from "vitest";
import { digestFor, openAgent, openDigestAgent, readMany, readStatus } from "./digest-agent.ts";
import { refuse, startDigestServer } from "./digest-server.ts";
import { type LocalServer, startLocalServer } from "./local-server.ts";

type Interceptor = Dispatcher.DispatcherComposeInterceptor;

const redirect = () => interceptors.redirect({ maxRedirections: 3 });
const retry = () => interceptors.retry({ minTimeout: 1 });
const dump = () => interceptors.dump({ maxSize: 1_000_000 });

/** Starts a server behind Digest that redirects to another one, which asks for credentials too. */
async function startTwo(status = 302): Promise<{ readonly leading: LocalServer; readonly target: LocalServer }> {
  const target = await startLocalServer(refuse('Digest realm="t", nonce="n", qop="auth"'));
  const leading = await startDigestServer({
    respond: (_request, response) => response.writeHead(status, { Location: `${target.origin}/landed` }).end(),
  });
  return { leading, target };
}

interface Order {
  readonly description: string;
  readonly list: (digest: Interceptor) => readonly Interceptor[];
}

const IN_FRONT: readonly Order[] = [
  { description: "redirect in front", list: (digest) => [digest, redirect()] },
  { description: "redirect in front, retry between", list: (digest) => [digest, retry(), redirect()] },
  { description: "redirect and retry in front", list: (digest) => [digest, redirect(), retry()] },
  { description: "redirect in front, dump between", list: (digest) => [digest, dump(), redirect()] },
  {
    description: "redirect in front, responseError between",
    list: (digest) => [digest, interceptors.responseError(), redirect()],
  },
];
const BELOW: readonly Order[] = [
  { description: "redirect below", list: (digest) => [redirect(), digest] },
  { description: "redirect below, retry between", list: (digest) => [redirect(), retry(), digest] },
];

test.for([...IN_FRONT, ...BELOW])("gives another origin no credentials: $description", async ({ list }) => {
  for (const status of [302, 307]) {
    const { leading, target } = await startTwo(status);
    const dispatcher = openAgent(...list(digestFor(leading)));
    // The first read asks for a nonce, and the second one knows it.
    for (const _ of [1, 2]) await readStatus(dispatcher, `${leading.origin}/start`).catch(() => {});
    const seen = target.requests.map(({ headers }) => headers.authorization);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  }
});

test.for(IN_FRONT)("follows a redirect within the origin with credentials: $description", async ({ list }) => {
  const server = await startDigestServer({
    respond: (seen, response) => {
      if (seen.target === "/landed?a=b") response.end();
      else response.writeHead(302, { Location: "/landed?a=b" }).end();
    },
  });
  const dispatcher = openAgent(...list(digestFor(server)));
  expect(await readMany(dispatcher, `${server.origin}/start`, 32, 16)).toEqual({ 200: 32 });
});

test("follows a redirect to another origin that is named with credentials", async () => {
  const target = await startDigestServer();
  const leading = await startDigestServer({
    respond: (_request, response) => response.writeHead(302, { Location: target.origin }).end(),
  });
  const dispatcher = openAgent(digestFor(leading, { origins: [leading.origin, target.origin] }), redirect());
  expect(await readStatus(dispatcher, leading.origin)).toBe(200);
});

test("an origin that is not named gets its request unchanged", async () => {
  const server = await startDigestServer();
  expect(await readStatus(openDigestAgent({ origin: "https://example.com" }), server.origin)).toBe(401);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test("fetch gives another origin no credentials", async () => {
  const { leading, target } = await startTwo();
  await (await fetch(leading.origin, { dispatcher: openDigestAgent(leading) })).text();
  expect(target.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test.for([...IN_FRONT.slice(0, 1), ...BELOW])(
  "sends a POST that is redirected once: $description",
  async ({ list }) => {
    const server = await startDigestServer({
      respond: (seen, response) => {
        if (seen.target === "/landed") response.end();
        else response.writeHead(303, { Location: "/landed" }).end();
      },
    });
    const dispatcher = openAgent(...list(digestFor(server)));
    await readStatus(dispatcher, `${server.origin}/landed`);
    const { body } = await request(`${server.origin}/start`, { dispatcher, method: "POST", body: "content" });
    await body.dump();
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "GET", "POST", "GET"]);
  },
);
