import { inspect } from "node:util";
import { type Dispatcher, Dispatcher1Wrapper, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { type DigestOptions, digest } from "../../sdk/digest/index.ts";
import { openDigestAgent, readStatus } from "./digest-agent.ts";
import { startDigestServer } from "./digest-server.ts";

const PASSWORD = "a very secret word";
const ORIGINS = ["https://example.com"];

// JavaScript callers can pass values of any type.
const REFUSED: readonly { readonly description: string; readonly input: unknown; readonly named: string }[] = [
  { description: "no options", input: undefined, named: "username" },
  { description: "no user name", input: { password: PASSWORD }, named: "username" },
  { description: "an empty user name", input: { username: "", password: PASSWORD }, named: "username" },
  { description: "a user name that is a number", input: { username: 7, password: PASSWORD }, named: "username" },
  {
    description: "a line break in the user name",
    input: { username: "a\r\nX: y", password: PASSWORD },
    named: "username",
  },
  {
    description: "a null character in the user name",
    input: { username: "a\0", password: PASSWORD },
    named: "username",
  },
  {
    description: "half a character in the user name",
    input: { username: "a\ud800", password: PASSWORD },
    named: "username",
  },
  { description: "no password", input: { username: "u", origins: ORIGINS }, named: "password" },
  {
    description: "a password that is null",
    input: { username: "u", password: null, origins: ORIGINS },
    named: "password",
  },
  {
    description: "a password that is a buffer",
    input: { username: "u", password: Buffer.from(PASSWORD), origins: ORIGINS },
    named: "password",
  },
  ...[undefined, [], "https://example.com", ["example.com"], ["file:///a"], [8443], [""], [null]].map((origins) => ({
    description: `origins: ${JSON.stringify(origins)}`,
    input: { username: "u", password: PASSWORD, origins },
    named: "origins",
  })),
  {
    description: "an unknown option",
    input: { username: "u", password: PASSWORD, origins: ORIGINS, "real\u202em": "r" },
    named: "unknown options: real\uFFFDm; the valid ones are username, password, origins.",
  },
];

function refusalOf(input: unknown): unknown {
  try {
    Reflect.apply(digest, undefined, [input]);
  } catch (error) {
    return error;
  }
  return undefined;
}

test.for(REFUSED)("refuses $description at once, without the password in the error", ({ input, named }) => {
  const refusal = refusalOf(input);
  expect(refusal).toMatchObject({
    constructor: TypeError,
    code: "ERR_INVALID_ARG_VALUE",
    message: expect.stringContaining(named),
  });
  expect(inspect(refusal)).not.toContain(PASSWORD);
});

const TAKEN: readonly { readonly description: string; readonly input: DigestOptions }[] = [
  { description: "an empty password", input: { username: "u", password: "", origins: ORIGINS } },
  { description: "a user name beyond ISO-8859-1", input: { username: "Łukasz", password: PASSWORD, origins: ORIGINS } },
];

test.for(TAKEN)("takes $description", ({ input }) => {
  expect(digest(input)).toBeTypeOf("function");
});

const SPELLINGS = [
  { description: "a path and capitals", spell: (port: string) => `HTTP://LOCALHOST:${port}/a?b` },
  { description: "user information", spell: (port: string) => `http://user@localhost:${port}` },
];

test.for(SPELLINGS)("knows an origin that is named with $description", async ({ spell }) => {
  const server = await startDigestServer();
  const { port } = new URL(server.origin);
  const agent = openDigestAgent({ origin: spell(port) });
  expect(await readStatus(agent, `http://localhost:${port}/`)).toBe(200);
});

test("knows an origin that the request spells in its own way", async () => {
  const server = await startDigestServer();
  const { port } = new URL(server.origin);
  for (const origin of [`HTTP://LOCALHOST:${port}`, new URL(`http://localhost:${port}`)]) {
    const agent = openDigestAgent({ origin: `http://localhost:${port}` });
    const { statusCode, body } = await agent.request({ origin, path: "/", method: "GET" });
    await body.dump();
    expect(statusCode).toBe(200);
  }
});

/** Makes a request with Node's own fetch and returns its status. */
async function statusOfNodeFetch(url: string, dispatcher: Dispatcher): Promise<number> {
  // Reflect is needed because the types of Node's fetch know only the undici inside Node.
  const response: Response = await Reflect.apply(globalThis.fetch, undefined, [url, { dispatcher }]);
  await response.text();
  return response.status;
}

test("tells who passes a dispatcher to Node's own fetch what works", async () => {
  const server = await startDigestServer();
  const failure = await statusOfNodeFetch(server.origin, openDigestAgent(server)).catch((error: unknown) => error);
  expect(inspect(failure)).toMatch(/setGlobalDispatcher.*Dispatcher1Wrapper/);
});

test("works with Node's own fetch in undici's wrapper", async () => {
  const server = await startDigestServer();
  const wrapped = new Dispatcher1Wrapper(openDigestAgent(server));
  expect(await statusOfNodeFetch(server.origin, wrapped)).toBe(200);
});

test("works with Node's own fetch as the global dispatcher", async () => {
  const server = await startDigestServer();
  const before = getGlobalDispatcher();
  onTestFinished(() => setGlobalDispatcher(before));
  setGlobalDispatcher(openDigestAgent(server));
  await (await globalThis.fetch(server.origin)).text();
  const response = await globalThis.fetch(server.origin, { method: "POST", body: "content" });
  await response.text();
  expect([response.status, server.requests[2]?.body]).toEqual([200, "content"]);
});
