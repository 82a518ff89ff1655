import { createServer } from "node:net";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import type { CannedResponse, Fault } from "../../sdk/testing/index.ts";
import { listen } from "../servers/listen.ts";
import { expectSafe } from "./expect-safe.ts";
import { failureOf, KEYS, MONITORING, openClient, openService } from "./open-client.ts";

/** What a read fails with if this is the response to it. */
async function failureOn(response: CannedResponse | "reset", envelope = false): Promise<unknown> {
  const service = await openService();
  service.respondWith(response);
  return openClient(service)
    .get({ ...MONITORING, envelope })
    .catch((error: unknown) => error);
}

const json = (body: unknown) => ({ status: 200, body: JSON.stringify(body) });
const asksFor = (challenge: string) => ({ status: 401, headers: { "WWW-Authenticate": challenge } });

it.each([
  [401, {}, "ERR_AUTHENTICATION", "does not ask for HTTP Digest"],
  [401, { errorCode: "NOT_IN_GROUP" }, "ERR_NOT_A_MEMBER", "invite the key"],
  [401, { errorCode: "USER_UNAUTHORIZED" }, "ERR_WRONG_KEY", "refuses the key pair; check publicKey and privateKey"],
  [403, { errorCode: "USER_UNAUTHORIZED" }, "ERR_ROLE_MISSING", "give it Project Automation Admin"],
  [401, { errorCode: "NO_CURRENT_USER" }, "ERR_WRONG_KEY", "set a new key pair"],
  [400, { errorCode: "INVALID_QUERY_PARAMETER" }, "ERR_REFUSED", "leave out envelope and pretty"],
  [400, { errorCode: "RATE_LIMITED_IP" }, "ERR_RATE_LIMITED", "fewer projects"],
  [402, { errorCode: "ACCOUNT_SUSPENDED" }, "ERR_ACCOUNT_SUSPENDED", "the account is suspended"],
  [402, {}, "ERR_ACCOUNT_SUSPENDED", "payment is required"],
  [403, { errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" }, "ERR_ACCESS_LIST", "the address of this machine is not on"],
  [
    403,
    { errorCode: "IP_ADDRESS_NOT_ON_WHITELIST", detail: "IP address 2001:db8::7 is not allowed." },
    "ERR_ACCESS_LIST",
    "IP address 2001:db8::7 is not allowed",
  ],
  [403, { errorCode: "FEATURE_UNSUPPORTED" }, "ERR_UNSUPPORTED", "enable automation"],
  [403, { errorCode: "UNSUPPORTED_FOR_CURRENT_PLAN" }, "ERR_UNSUPPORTED", "change the plan"],
  [403, { errorCode: "UNSUPPORTED_FOR_CURRENT_CONFIG" }, "ERR_UNSUPPORTED", "not managed by automation"],
  [404, { errorCode: "INVALID_GROUP_ID" }, "ERR_PROJECT_NOT_FOUND", "no such project"],
  [404, { errorCode: "GROUP_NOT_FOUND" }, "ERR_PROJECT_NOT_FOUND", "no such project"],
  [404, { errorCode: "AUTOMATION_CONFIG_NOT_FOUND" }, "ERR_NOT_AUTOMATED", "not managed by automation"],
  [404, { errorCode: "RESOURCE_NOT_FOUND" }, "ERR_NOT_FOUND", "check the path of baseUrl"],
  [404, {}, "ERR_NOT_FOUND", "check projectId and baseUrl"],
  [403, {}, "ERR_REFUSED", "give it Project Automation Admin on this project, and check its access list"],
  [408, {}, "ERR_UNAVAILABLE", "no request came in time"],
  [429, { errorCode: "RATE_LIMITED" }, "ERR_RATE_LIMITED", "fewer projects"],
  [429, {}, "ERR_RATE_LIMITED", "fewer projects"],
  [500, { errorCode: "UNEXPECTED_ERROR" }, "ERR_UNAVAILABLE", "read its log"],
  [502, {}, "ERR_UNAVAILABLE", "a gateway in front of the service"],
  [503, {}, "ERR_UNAVAILABLE", "under maintenance"],
  [503, { errorCode: "GROUP_NOT_FOUND" }, "ERR_UNAVAILABLE", "under maintenance"],
  [504, {}, "ERR_UNAVAILABLE", "no response in time"],
  [400, { errorCode: "toString" }, "ERR_REFUSED", "does not understand the request"],
  [405, {}, "ERR_REFUSED", "refuses the read; check the address in baseUrl, and read the log of the service"],
  [410, {}, "ERR_REFUSED", "refuses the read; check the address in baseUrl"],
  [
    418,
    { errorCode: "TEAPOT", detail: "I brew." },
    "ERR_REFUSED",
    "read the log of the service \\(status 418, TEAPOT: I brew\\)",
  ],
])("a refusal of status %i with %o is %s", async (status, body, code, says) => {
  const error = await failureOn({ status, body: JSON.stringify({ error: status, ...body }) });
  const link = `See https://www.npmjs.com/package/pulumi-agent-log-config#${code.toLowerCase()}\\.`;
  expect(error).toMatchObject({ code, status, ...("errorCode" in body ? { errorCode: body.errorCode } : {}) });
  expect(error).toHaveProperty("message", expect.stringMatching(`${says}.*\\. ${link}$`));
  expect(error).toHaveProperty("message", expect.stringContaining(`(status ${status}`));
});

const GONE = { errorCode: "GROUP_NOT_FOUND" };

it.each([
  ["without an envelope on HTTP 200", { error: 404, ...GONE }, 404],
  ["beside the details of an error", { error: 404, ...GONE, badRequestDetail: { fields: [] } }, 404],
  ["by its code alone", { error: { code: 404 }, ...GONE }, 200],
  ["beside settings", { logPath: "/l", error: 404, ...GONE }, 404],
])("a refusal is found %s, whether or not an envelope was asked for", async (_, body, status) => {
  for (const envelope of [true, false]) {
    expect(await failureOn(json(body), envelope)).toMatchObject({ code: "ERR_PROJECT_NOT_FOUND", status });
  }
});

it.each([
  [{ status: 404, content: { error: 404, ...GONE } }, "ERR_PROJECT_NOT_FOUND", 404],
  [{ code: "404", payload: { ...GONE, badRequestDetail: {} } }, "ERR_PROJECT_NOT_FOUND", 404],
  [{ status: 200, content: { error: 404, ...GONE } }, "ERR_PROJECT_NOT_FOUND", 404],
  [{ status: 503, content: { logPath: "/l" } }, "ERR_UNAVAILABLE", 503],
  [{ status: 503, content: "Service Unavailable" }, "ERR_UNAVAILABLE", 503],
])("a refusal is found in the envelope %o only where one was asked for", async (body, code, status) => {
  expect(await failureOn(json(body), true)).toMatchObject({ code, status });
  expect(await failureOn(json(body))).toMatchObject({ code: "ERR_INVALID_RESPONSE" });
});

it("a refusal that is no JSON counts by its status", async () => {
  const page = { status: 403, headers: { "Content-Type": "text/html" }, body: "<h1>Forbidden</h1>" };
  expect(await failureOn(page)).toMatchObject({ code: "ERR_REFUSED", status: 403 });
});

it("nonces that the service keeps forgetting are an outage, and not a wrong key", async () => {
  const service = await openService({ faults: Array.from({ length: 9 }, () => "forgetNonces") });
  expect(await failureOf(openClient(service))).toMatchObject({ code: "ERR_UNAVAILABLE", temporary: true });
});

it.each<readonly [string, CannedResponse, RegExp]>([
  ["none", { status: 401, body: '{"error":401}' }, /does not ask for HTTP Digest; check baseUrl/],
  ["none, in an envelope", json({ status: 401, content: { error: 401 } }), /does not ask for HTTP Digest; check/],
  ["malformed", asksFor('Digest realm="a" nonce'), /malformed.*Digest realm="a" nonce.*check that baseUrl is the/],
  ["of another kind", asksFor('Basic realm="a"'), /basic instead of Digest; check that baseUrl is the service, not/],
])("a challenge that is %s never blames the key", async (_, response, says) => {
  const error = await failureOn(response, response.status === 200);
  expect(error).toMatchObject({ code: "ERR_AUTHENTICATION", message: expect.stringMatching(says) });
  expect(error).toHaveProperty("message", expect.stringMatching(/ from \S+: the server/));
  expect(String(error)).not.toContain("key pair");
});

it.each<readonly [string, Partial<CannedResponse>, string | RegExp]>([
  ["HTML", { headers: { "Content-Type": "text/html" }, body: "<html>" }, /a web page instead of JSON \(text\/html\)/],
  ["nothing", { body: "" }, /is empty \(no content type\)/],
  ["JSON that is cut off", { body: '{"logPath":"/var' }, "is not JSON, or was cut off"],
  ["a status of another kind", { body: '{"status":{"toString":1},"content":{},"logPath":5}' }, "must be a string"],
  ["too great a number", { body: '{"configOverrides":{"a":[{"b":1e999}]}}' }, /not have a number beyond the/],
  ["a list", { body: "[]" }, /: the response can't be used, because the body must be an object; check baseUrl/],
  ["a number for a path", { body: '{"logPath":5}' }, "logPath must be a string"],
  ["too long a number", json({ logRotate: { numTotal: "9".repeat(400) } }), "logRotate.numTotal must be a number"],
  ["words for a number", json({ logRotate: { numTotal: "many" } }), "logRotate.numTotal must be a number"],
  ["more than 1 MiB", { body: `"${"x".repeat(1_048_576)}"` }, "longer than 1 MiB"],
  [
    "headers of 20,000 bytes",
    { headers: { "X-Long": "x".repeat(20_000) } },
    "the headers of its response are too long; check baseUrl",
  ],
  ["another status", { status: 204 }, "status 204"],
  [
    "a redirect, whose token is not shown",
    { status: 302, headers: { Location: "https://sso.example.com/login?token=body-token" } },
    /redirects to https:\/\/sso\.example\.com \(status 302\)/,
  ],
  [
    "overrides nested 150,000 deep",
    { body: `{"configOverrides":${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}}` },
    "configOverrides must not be nested deeper than 100 levels",
  ],
  ["a list of overrides", { body: '{"configOverrides":[]}' }, "configOverrides must be an object"],
  [
    "a key that would set a prototype",
    { body: '{"__proto__":{"a":1},"configOverrides":{"b":[{"__proto__":1}]}}' },
    "because configOverrides must not have the key __proto__; check",
  ],
  [
    "compressed settings",
    { headers: { "Content-Encoding": "gzip" }, body: gzipSync("{}") },
    /is compressed, although the client asks for no compression \(gzip\)/,
  ],
  ["another charset than UTF-8", { body: Buffer.from('{"logPath":"/m\xfcnchen.log"}', "latin1") }, "is not UTF-8"],
])("a response of %s is one clear error", async (_, response, says) => {
  const error = await failureOn({ status: 200, ...response });
  expect(error).toMatchObject({ code: "ERR_INVALID_RESPONSE", message: expect.stringMatching(says) });
  // Of a response that is too long nothing is known.
  if (!/too long|longer than/.test(String(error))) expect(error).toMatchObject({ status: response.status ?? 200 });
  expect(inspect(error)).not.toContain("body-token");
});

it.each<readonly [object, string]>([
  [{ message: "Service is under maintenance" }, "none of the fields of log settings, but message; check baseUrl"],
  [{ message: "Service unavailable", urls: [] }, "but message, urls; check baseUrl"],
  [{ logLevel: "info", "a\u001b[2J": 1 }, "but logLevel, a\uFFFD\\[2J; check"],
  [{ ok: true, status: 200, data: { user: "nobody" } }, "but ok, status, data;"],
  [{ code: 200, message: "login required", data: {} }, "but code, message, data;"],
  [{ status: 200, content: {}, data: {} }, "but status, content, data;"],
  [{ status: 200, code: 404 }, "but status, code;"],
  [{ status: 100, content: {} }, "but status, content;"],
  [{ status: 2000, content: {} }, "but status, content;"],
  [{ error: { code: 503 }, logPath: null }, "is an error in spite of its status"],
  [{ error: null, logPath: "/l" }, "is an error in spite of its status"],
  [{ error: { code: 404 }, errorCode: "TEAPOT" }, "is an error in spite of its status.*TEAPOT"],
  [{ errorCode: "TEAPOT", logPath: "/l" }, "is an error in spite of its status.*TEAPOT"],
  [{ error: { code: 404 }, password: "body-password" }, "is an error in spite of its status"],
])("%o is no settings, whether or not an envelope was asked for", async (body, says) => {
  for (const envelope of [true, false]) {
    const error = await failureOn(json(body), envelope);
    expect(error).toMatchObject({ code: "ERR_INVALID_RESPONSE", message: expect.stringMatching(says) });
    expectSafe(error);
  }
});

it.each<readonly [object, string]>([
  [{ status: 302, content: {} }, "the response has status 302 instead of 200"],
  [{ status: 200, content: "nothing" }, "because the body must be an object; check"],
  [{ status: 200, content: { message: "login required" } }, "but message;"],
  [{ status: 200, content: { errorCode: "TEAPOT", logPath: "/l" } }, "is an error in spite of its status.*TEAPOT"],
])("%o is no settings in an envelope", async (body, says) => {
  const message = expect.stringMatching(says);
  expect(await failureOn(json(body), true)).toMatchObject({ code: "ERR_INVALID_RESPONSE", message });
});

it.each<Fault>([{ status: 403 }, { delaySeconds: 60 }, "reset"])("%o has a stack with the caller", async (fault) => {
  const service = await openService({ faults: [fault] });
  const client = openClient(service, { timeoutSeconds: 0.5 });
  const readInTheUsersCode = async () => {
    const read = client.get(MONITORING);
    // Whoever else waits for the read ends the stack that an error has by itself.
    void client.close();
    return [await read];
  };
  const error = await readInTheUsersCode().catch((reason: unknown) => reason);
  expect(error).toHaveProperty("stack", expect.stringContaining("readInTheUsersCode"));
});

const HOSTILE = "<{%bad%}>\u001b[2J\u009b1m\u202e\u2028\ud800##vso[task.complete]##[error]".repeat(100);
/** As it comes over the wire, where each character is one byte. */
const HEADER = "<{%bad%}>\u009b1m\u009d##VSO[task.complete]##[error]".repeat(100);

it.each<readonly [string, CannedResponse]>([
  ["errorCode", { status: 418, body: JSON.stringify({ errorCode: HOSTILE }) }],
  ["detail", { status: 418, body: JSON.stringify({ detail: HOSTILE }) }],
  ["reason", { status: 418, body: JSON.stringify({ reason: HOSTILE }) }],
  ["redirect", { status: 302, headers: { Location: `https://${"a.".repeat(5000)}<{%/${HEADER}` } }],
  ["redirect to another scheme", { status: 302, headers: { Location: `x<{%://${HEADER}` } }],
  ["content type", { status: 200, headers: { "Content-Type": HEADER }, body: "" }],
  ["content encoding", { status: 200, headers: { "Content-Encoding": HEADER }, body: "" }],
  ["names of settings", json({ [HOSTILE]: 1, logRotate: { [HOSTILE]: 1, numTotal: HOSTILE } })],
  [
    "names of overrides",
    { status: 200, body: `{"configOverrides":${`{${JSON.stringify(HOSTILE)}:`.repeat(101)}1${"}".repeat(102)}` },
  ],
  ["scheme", asksFor(`Basic${HEADER}`)],
  ["realm", asksFor(`Basic realm="${HEADER}"`)],
  ["malformed challenge", asksFor(`Digest realm="a" ${HEADER}`)],
  ["algorithm", asksFor(`Digest nonce="n", algorithm="${HEADER}"`)],
  ["qop", asksFor(`Digest nonce="n", qop="${HEADER}"`)],
])("hostile text of the service reaches no message raw: %s", async (_, response) => {
  const error = await failureOn(response);
  expect(error).toBeInstanceOf(AgentLogConfigError);
  expectSafe(error);
  // The console prints the causes of an error, too.
  expect(inspect(error)).not.toMatch(/[\u009b\u202e]|<\{%/);
});

it("hostile text is replaced character by character, and the rest stays", async () => {
  const detail = "a\nerror: fake\u001b[2J\u202e";
  const body = JSON.stringify({ error: 404, errorCode: "X\u001b[31m", detail });
  expect(String(await failureOn({ status: 404, body }))).toContain("X\uFFFD[31m: a\uFFFDerror: fake\uFFFD[2J\uFFFD");
});

const DIGEST =
  'Digest username="publickey", realm="r", nonce="n", uri="/", response="5e8c9a7b6d4f3210fedcba9876543210"';
const BASIC = "Basic dXNlcjpwYXNzd29yZA==";
const REPEATED = [
  DIGEST,
  `Authorization: ${DIGEST}`,
  `authorization=${DIGEST} was sent`,
  JSON.stringify({ authorization: DIGEST }),
  `Proxy-Authorization: ${BASIC}`,
  `HTTP_PROXY_AUTHORIZATION=${BASIC} was sent`,
  JSON.stringify({ headers: { "proxy-authorization": [BASIC] } }),
];

it.each<readonly [string, (echo: string) => CannedResponse]>([
  ["errorCode", (echo) => ({ status: 418, body: JSON.stringify({ errorCode: echo }) })],
  ["detail", (echo) => ({ status: 418, body: JSON.stringify({ detail: echo }) })],
  ["reason", (echo) => ({ status: 418, body: JSON.stringify({ reason: echo }) })],
  ["name of a field", (echo) => json({ [echo]: 1 })],
  ["content type", (echo) => ({ status: 200, headers: { "Content-Type": echo } })],
  ["content encoding", (echo) => ({ status: 200, headers: { "Content-Encoding": echo }, body: "{}" })],
  ["challenge", (echo) => asksFor(echo)],
  ["malformed challenge", (echo) => asksFor(`Digest realm="a" ${echo}`)],
  ["algorithm", (echo) => asksFor(`Digest nonce="n", algorithm=${JSON.stringify(echo)}`)],
  ["qop", (echo) => asksFor(`Digest nonce="n", qop=${JSON.stringify(echo)}`)],
])("credentials that a service repeats reach no error: %s", async (_, respond) => {
  for (const echo of REPEATED) {
    const error = await failureOn(respond(echo));
    expect(error).toBeInstanceOf(AgentLogConfigError);
    const printed = inspect(error, { depth: 9, showHidden: true });
    for (const secret of ["publickey", "5e8c9a7b", "dXNl"]) expect(printed).not.toContain(secret);
  }
});

it("no secret is in the error of a response that is not HTTP, or not settings, or in a client", async () => {
  const server = createServer((socket) => {
    socket.once("data", () => socket.end('HTTP/1.1 200 OK\r\nbad header\r\n\r\n{"password":"body-password"}'));
  });
  const client = openClient({ baseUrl: `http://127.0.0.1:${await listen(server)}` });
  const broken = await failureOf(client);
  expect(broken).toMatchObject({ code: "ERR_CONNECTION" });
  const wrong = await failureOn({ status: 200, body: '{"password":"body-password","logPath":5}' });
  const printed = [client, broken, wrong].map((value) => inspect(value, { depth: 9, showHidden: true })).join("\n");
  for (const secret of [KEYS.privateKey, "body-password", "response="]) expect(printed).not.toContain(secret);
});
