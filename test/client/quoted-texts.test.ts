import { inspect } from "node:util";
import { expect, it } from "vitest";
import type { CannedResponse } from "../../sdk/testing/index.ts";
import { expectSafe } from "./expect-safe.ts";
import { asksFor, failureIn, json, respond } from "./it-fails.ts";

const HOSTILE = "<{%bad%}>\u001b[2J\u009b1m\u202e\u2028\ud800##vso[a]##[b]##teamcity[c]".repeat(100);
/** As it comes over the wire, where each character is one byte. */
const HEADER = "<{%bad%}>\u009b1m\u009d##VSO[a]##[b]##TeamCity[c]".repeat(100);

const DIGEST =
  'Digest username="publickey", realm="r", nonce="n", uri="/", response="5e8c9a7b6d4f3210fedcba9876543210"';
const ENCODED = "Basic dXNlcjpwYXNzd29yZA==";
const REPEATED = [
  DIGEST,
  `Authorization: ${DIGEST}`,
  `authorization=${DIGEST} was sent`,
  JSON.stringify({ authorization: DIGEST }),
  `Proxy-Authorization: ${ENCODED}`,
  `HTTP_PROXY_AUTHORIZATION=${ENCODED} was sent`,
  JSON.stringify({ headers: { "proxy-authorization": [ENCODED] } }),
  "Cookie: S=dXNlcjpwYXNzd29yZA",
  "COOKIE=S=dXNlcjpwYXNzd29yZA; T=5e8c9a7b",
  JSON.stringify({ cookie: "S=dXNlcjpwYXNzd29yZA" }),
  "Set-Cookie: S=dXNlcjpwYXNzd29yZA; Path=/",
];

type Place = readonly [name: string, response: (text: string) => CannedResponse];
const BODIES: readonly Place[] = [
  ["errorCode", (text) => ({ status: 418, body: JSON.stringify({ errorCode: text }) })],
  ["detail", (text) => ({ status: 418, body: JSON.stringify({ detail: text }) })],
  ["reason", (text) => ({ status: 418, body: JSON.stringify({ reason: text }) })],
  ["message", (text) => ({ status: 418, body: JSON.stringify({ message: text.slice(0, 200) }) })],
  ["title", (text) => ({ status: 418, body: `<title>${text.slice(0, 200)}</title>` })],
  ["text", (text) => ({ status: 418, body: text.slice(0, 200) })],
  ["title with status 200", (text) => ({ status: 200, body: `<title>${text.slice(0, 200)}</title>` })],
  ["name of a field", (text) => json({ [text]: 1 })],
  ["names of settings", (text) => json({ [text]: 1, logRotate: { [text]: 1, numTotal: text } })],
];
const HEADERS: readonly Place[] = [
  ["redirect", (text) => ({ status: 302, headers: { Location: `https://${"a.".repeat(5000)}<{%/${text}` } })],
  ["redirect to another scheme", (text) => ({ status: 302, headers: { Location: `x<{%://${text}` } })],
  ["content type", (text) => ({ status: 200, headers: { "Content-Type": text }, body: "" })],
  ["content encoding", (text) => ({ status: 200, headers: { "Content-Encoding": text }, body: "" })],
  ["challenge", asksFor],
  ["scheme", (text) => asksFor(`Basic${text}`)],
  ["realm", (text) => asksFor(`Basic realm=${JSON.stringify(text)}`)],
  ["malformed challenge", (text) => asksFor(`Digest realm="a" ${text}`)],
  ["algorithm", (text) => asksFor(`Digest nonce="n", algorithm=${JSON.stringify(text)}`)],
  ["qop", (text) => asksFor(`Digest nonce="n", qop=${JSON.stringify(text)}`)],
];

it.each([
  ...BODIES.map(([name, response]) => ({ name, response, hostile: HOSTILE })),
  ...HEADERS.map(([name, response]) => ({ name, response, hostile: HEADER })),
])("no hostile text and no credentials that a service repeats reach an error: $name", async ({ response, hostile }) => {
  for (const text of [hostile, ...REPEATED]) {
    const { error } = await failureIn(await respond(response(text)));
    expectSafe(error);
    // The console prints the causes of an error, too.
    const printed = inspect(error, { depth: 9, showHidden: true });
    expect(printed).not.toMatch(/[\u009b\u202e]|<\{%/);
    for (const secret of ["publickey", "5e8c9a7b", "dXNl"]) expect(printed).not.toContain(secret);
  }
});

it("hostile text is replaced character by character, and the rest stays", async () => {
  const detail = "a\nerror: fake\u001b[2J\u202e";
  const body = JSON.stringify({ error: 404, errorCode: "X\u001b[31m", detail });
  expect((await failureIn(await respond({ status: 404, body }))).error.message).toContain(
    "X\uFFFD[31m: a\uFFFDerror: fake\uFFFD[2J\uFFFD",
  );
});

it.each([
  ["errorCode", 100],
  ["detail", 200],
])("%s of a refusal is quoted as it is up to %i characters", async (name, length) => {
  for (const [text, quoted] of [
    ["x".repeat(length), "x".repeat(length)],
    ["x".repeat(length + 1), `${"x".repeat(length)}…`],
  ]) {
    const body = JSON.stringify({ [name]: text });
    expect((await failureIn(await respond({ status: 418, body }))).error.message).toContain(`(status 418, ${quoted})`);
  }
});
