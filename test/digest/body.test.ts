import { Readable } from "node:stream";
import { type Dispatcher, FormData, fetch, interceptors } from "undici";
import { expect, test } from "vitest";
import { digestFor, openAgent, openDigestAgent, readStatus } from "./digest-agent.ts";
import { type DigestServer, startDigestServer, startScriptedServer } from "./digest-server.ts";

async function put(dispatcher: Dispatcher, server: DigestServer, body: unknown): Promise<number> {
  // Reflect is needed because undici's types lack Blob, ArrayBuffer and iterables.
  const options = { origin: server.origin, path: "/", method: "PUT", body };
  const response: Dispatcher.ResponseData = await Reflect.apply(dispatcher.request, dispatcher, [options]);
  await response.body.dump();
  return response.statusCode;
}

function form(): FormData {
  const data = new FormData();
  data.set("field", "content");
  return data;
}

const REPLAYED: readonly { readonly description: string; readonly body: unknown; readonly expected: string }[] = [
  { description: "a string", body: "content", expected: "content" },
  { description: "an empty string", body: "", expected: "" },
  { description: "a string beyond ASCII", body: "ä", expected: "\xc3\xa4" },
  { description: "a Buffer", body: Buffer.from("content"), expected: "content" },
  { description: "a Uint8Array", body: new TextEncoder().encode("content"), expected: "content" },
  { description: "an ArrayBuffer", body: new TextEncoder().encode("content").buffer, expected: "content" },
  { description: "a Blob", body: new Blob(["con", "tent"]), expected: "content" },
  { description: "null", body: null, expected: "" },
];

test.for(REPLAYED)("sends $description again", async ({ body, expected }) => {
  const server = await startDigestServer();
  await put(openDigestAgent(server), server, body);
  await put(openAgent(digestFor(server), interceptors.retry({ minTimeout: 1 })), server, body);
  expect(server.requests.map((seen) => seen.body)).toEqual([expected, expected, expected, expected]);
});

test("sends FormData again", async () => {
  const server = await startDigestServer();
  await put(openDigestAgent(server), server, form());
  const parts = server.requests.map((seen) => /name="field"\r\n\r\n(\w+)\r\n/.exec(seen.body)?.[1]);
  expect(parts).toEqual(["content", "content"]);
});

async function* generate(...chunks: readonly string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const STREAMS: readonly { readonly description: string; readonly open: (...chunks: string[]) => unknown }[] = [
  { description: "a stream", open: (...chunks) => Readable.from(chunks.map((chunk) => Buffer.from(chunk))) },
  { description: "a stream of text", open: (...chunks) => Readable.from(chunks) },
  {
    description: "a web stream",
    open: (...chunks) => Readable.toWeb(Readable.from(chunks.map((c) => Buffer.from(c)))),
  },
  { description: "an async iterable", open: generate },
];

test.for(STREAMS)("can't send $description again", async ({ open }) => {
  const server = await startDigestServer();
  const reading = put(openDigestAgent(server), server, open("content"));
  await expect(reading).rejects.toMatchObject({ code: "ERR_DIGEST_BODY_NOT_REPLAYABLE" });
});

test.for(STREAMS)("sends $description of any length once a nonce is known", async ({ open }) => {
  const server = await startDigestServer();
  const agent = openDigestAgent(server);
  await put(agent, server, "");
  const chunks = Array.from({ length: 64 }, (_, index) => String(index % 10).repeat(65_536));
  await put(agent, server, open(...chunks));
  expect(server.requests[2]?.body === chunks.join("")).toBe(true);
});

test("can't send an iterator again", async () => {
  const server = await startDigestServer();
  await expect(put(openDigestAgent(server), server, ["content"].values())).rejects.toMatchObject({
    code: "ERR_DIGEST_BODY_NOT_REPLAYABLE",
    message: expect.stringContaining(`PUT ${server.origin}/`),
  });
});

test("closes a stream that is not sent to its end", async () => {
  const server = await startScriptedServer((_request, response) => response.destroy());
  const body = new Readable({ read() {} });
  body.push("begin");
  const closed = new Promise((resolve) => body.once("close", resolve));
  const controller = new AbortController();
  const options = { origin: server.origin, path: "/", method: "PUT", body, signal: controller.signal } as const;
  const sending = openDigestAgent(server).request(options);
  controller.abort();
  await expect(sending).rejects.toThrow();
  await closed;
});

test("fails with the failure of the stream", async () => {
  const server = await startDigestServer();
  const failure = new Error("disk full");
  const open = async function* () {
    yield "begin";
    throw failure;
  };
  await expect(put(openDigestAgent(server), server, open())).rejects.toBe(failure);
});

const FETCHED = [
  { description: "a string", body: "content", expected: "content" },
  { description: "a buffer", body: new TextEncoder().encode("content"), expected: "content" },
  { description: "URLSearchParams", body: new URLSearchParams({ a: "b" }), expected: "a=b" },
];

test.for(FETCHED)("fetch sends $description once a nonce is known, because it makes a stream of it", async (row) => {
  const server = await startDigestServer();
  const dispatcher = openDigestAgent(server);
  const post = () => fetch(server.origin, { dispatcher, method: "POST", body: row.body });
  await expect(post()).rejects.toMatchObject({ cause: { code: "ERR_DIGEST_BODY_NOT_REPLAYABLE" } });
  await readStatus(dispatcher, server.origin);
  await (await post()).text();
  expect(server.requests.at(-1)?.body).toBe(row.expected);
});
