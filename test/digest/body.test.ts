import { Readable } from "node:stream";
import { type Dispatcher, FormData, interceptors } from "undici";
import { expect, test } from "vitest";
import { digestWith, openAgent, openDigestAgent } from "./digest-agent.ts";
import { type DigestServer, startDigestServer } from "./digest-server.ts";

async function put(dispatcher: Dispatcher, server: DigestServer, body: unknown): Promise<number> {
  // Reflect, because undici's types lack Blob, ArrayBuffer and iterables.
  const options = { origin: server.origin, path: "/", method: "PUT", body };
  const answer: Dispatcher.ResponseData = await Reflect.apply(dispatcher.request, dispatcher, [options]);
  await answer.body.dump();
  return answer.statusCode;
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
  await put(openDigestAgent(), server, body);
  expect(server.requests.map((seen) => seen.body)).toEqual([expected, expected]);
});

test.for(REPLAYED)("sends $description again below undici's retry", async ({ body, expected }) => {
  const server = await startDigestServer();
  await put(openAgent(digestWith(), interceptors.retry({ minTimeout: 1 })), server, body);
  expect(server.requests.map((seen) => seen.body)).toEqual([expected, expected]);
});

test("sends FormData again", async () => {
  const server = await startDigestServer();
  await put(openDigestAgent(), server, form());
  const parts = server.requests.map((seen) => /name="field"\r\n\r\n(\w+)\r\n/.exec(seen.body)?.[1]);
  expect(parts).toEqual(["content", "content"]);
});

const GONE: readonly { readonly description: string; readonly open: () => unknown }[] = [
  { description: "a stream", open: () => Readable.from(["content"]) },
  {
    description: "an async iterable",
    open: () =>
      (async function* () {
        yield "content";
      })(),
  },
  { description: "an iterable", open: () => ["content"].values() },
];

test.for(GONE)("can't send $description again", async ({ open }) => {
  const server = await startDigestServer();
  await expect(put(openDigestAgent(), server, open())).rejects.toMatchObject({
    code: "ERR_DIGEST_BODY_NOT_REPLAYABLE",
  });
});

test.for(GONE)("sends $description once a nonce is known", async ({ open }) => {
  const server = await startDigestServer();
  const agent = openDigestAgent();
  await put(agent, server, "");
  expect(await put(agent, server, open())).toBe(200);
});

test("names the request whose body is gone", async () => {
  const server = await startDigestServer();
  await expect(put(openDigestAgent(), server, Readable.from(["x"]))).rejects.toThrow(`PUT ${server.origin}/`);
});
