import { createServer } from "node:http";
import { Client } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { keepCookies } from "../../sdk/client/keep-cookies.ts";
import { listen } from "../servers/listen.ts";

/** Sends a request after each of these responses, and returns the cookies that the last one carried. */
async function cookiesAfter(...responses: readonly (readonly string[])[]): Promise<string | undefined> {
  let [received, sent]: [string | undefined, number] = [undefined, 0];
  const server = createServer((request, response) => {
    received = request.headers.cookie;
    response.setHeader("set-cookie", [...(responses[sent] ?? [])]).end();
    sent += 1;
  });
  const client = new Client(`http://127.0.0.1:${await listen(server)}`);
  onTestFinished(() => client.destroy());
  const dispatcher = client.compose(keepCookies());
  for (const _ of [...responses, []]) {
    const { body } = await dispatcher.request({ path: "/", method: "GET", headers: { accept: "*/*" } });
    await body.dump();
  }
  return received;
}

it.each([
  { description: "no cookie", responses: [[]], expected: undefined },
  { description: "a cookie without its attributes", responses: [["a=1; Path=/; HttpOnly; Secure"]], expected: "a=1" },
  { description: "the cookies of several responses", responses: [["a=1", "b=2"], ["c=3"]], expected: "a=1; b=2; c=3" },
  { description: "the last value of a cookie", responses: [["a=1"], ["a=2"]], expected: "a=2" },
  { description: "a value as it came", responses: [["a=%0d%0a b=; "]], expected: "a=%0d%0a b=" },
  { description: "no cookie after Max-Age=0", responses: [["a=1", "b=2"], ["a=; Max-Age=0"]], expected: "b=2" },
  {
    description: "no cookie that has expired",
    responses: [["a=1"], ["a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]],
    expected: undefined,
  },
  {
    description: "a cookie that expires later",
    responses: [["a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT; Max-Age=60"]],
    expected: "a=1",
  },
  { description: "no cookie without a name", responses: [["=1", "2"]], expected: undefined },
  {
    description: "at most 50 cookies",
    responses: [Array.from({ length: 60 }, (_, index) => `c${index}=1`)],
    expected: Array.from({ length: 50 }, (_, index) => `c${index}=1`).join("; "),
  },
])("sends back $description", async ({ responses, expected }) => {
  expect(await cookiesAfter(...responses)).toBe(expected);
});
