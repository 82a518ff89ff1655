import { createServer } from "node:http";
import { expect, test } from "vitest";
import type { AgentLogConfigErrorCode } from "../../sdk/client/index.ts";
import { serviceError } from "../../sdk/client/service-error.ts";
import { errorFinding } from "../../sdk/findings/finding.ts";
import type { CannedResponse } from "../../sdk/testing/index.ts";
import { listen } from "../servers/listen.ts";
import { STALE_NONCE } from "../testing/queue-faults.ts";
import { asksFor, failureIn, itFails, json, respond } from "./it-fails.ts";
import { openService } from "./open-client.ts";

const REFUSES = "^the service refuses the read; read what it says, look up its code, and read its log";
const NOT_ON_LIST =
  "^the address that the service sees is not on the key's access list; add it there, unless it is that of a balancer: .*mms\\.remoteIp\\.header";

/** A status, codes of the service beside it, each of which is a case of its own, and what they say. */
const BY_CODE: readonly (readonly [number, string, AgentLogConfigErrorCode, string])[] = [
  [401, "NOT_IN_GROUP USER_CANNOT_ACCESS_GROUP USER_CANNOT_ACCESS_ORG", "ERR_NOT_A_MEMBER", "invite the key"],
  [404, "USER_NOT_IN_GROUP", "ERR_NOT_A_MEMBER", "invite the key"],
  [401, "USER_UNAUTHORIZED", "ERR_ROLE_MISSING", "give it Project Automation Admin"],
  [403, "ACCESS_FORBIDDEN", "ERR_ROLE_MISSING", "give it Project Automation Admin"],
  [401, "NO_CURRENT_USER", "ERR_WRONG_KEY", "set a new key pair"],
  [400, "INVALID_QUERY_PARAMETER", "ERR_REFUSED", "leave out envelope and pretty"],
  [400, "RATE_LIMITED_IP", "ERR_RATE_LIMITED", "fewer projects"],
  [429, "RATE_LIMITED", "ERR_RATE_LIMITED", "fewer projects"],
  [402, "ACCOUNT_SUSPENDED", "ERR_ACCOUNT_SUSPENDED", "the account is suspended"],
  [402, "NO_PAYMENT_INFORMATION_FOUND", "ERR_ACCOUNT_SUSPENDED", "payment is required"],
  [403, "IP_ADDRESS_NOT_ON_ACCESS_LIST RESOURCE_REQUIRES_ACCESS_LIST", "ERR_ACCESS_LIST", NOT_ON_LIST],
  [403, "IP_ADDRESS_NOT_ON_WHITELIST RESOURCE_REQUIRES_WHITELIST", "ERR_ACCESS_LIST", NOT_ON_LIST],
  [403, "ORG_REQUIRES_ACCESS_LIST ORG_REQUIRES_WHITELIST", "ERR_ACCESS_LIST", NOT_ON_LIST],
  [403, "FEATURE_UNSUPPORTED", "ERR_UNSUPPORTED", "enable automation"],
  [403, "UNSUPPORTED_FOR_CURRENT_PLAN NO_FREE_TIER_API", "ERR_UNSUPPORTED", "change the plan"],
  [403, "UNSUPPORTED_FOR_CURRENT_CONFIG", "ERR_UNSUPPORTED", "not managed by automation"],
  [404, "ATLAS_GROUP EXPECTED_NON_ATLAS_ORG", "ERR_UNSUPPORTED", "an Atlas project"],
  [404, "INVALID_GROUP_ID GROUP_NOT_FOUND", "ERR_PROJECT_NOT_FOUND", "no such project"],
  [404, "AUTOMATION_CONFIG_NOT_FOUND", "ERR_NOT_AUTOMATED", "not managed by automation"],
  [404, "RESOURCE_NOT_FOUND", "ERR_NOT_FOUND", "check the path of baseUrl"],
  [503, "GROUP_NOT_FOUND", "ERR_UNAVAILABLE", "overloaded or down"],
  // Codes that nobody knows.
  [400, "toString", "ERR_REFUSED", `${REFUSES} \\(status 400, toString\\)`],
  [403, "API_KEY_NOT_FOUND", "ERR_REFUSED", `${REFUSES} \\(`],
  [404, "ORG_NOT_FOUND", "ERR_NOT_FOUND", `${REFUSES} \\(`],
];

for (const [status, errorCodes, code, says] of BY_CODE) {
  for (const errorCode of errorCodes.split(" ")) {
    const arrange = async () => ({
      ...(await respond(json({ error: status, errorCode }, status))),
      facts: { errorCode },
    });
    itFails(code, arrange, [[`status ${status} and ${errorCode}`, undefined, says]]);
  }
}

const BY_STATUS: readonly (readonly [number, AgentLogConfigErrorCode, string])[] = [
  [400, "ERR_REFUSED", "^the service refuses the read; read its log"],
  [402, "ERR_ACCOUNT_SUSPENDED", "payment is required"],
  [408, "ERR_UNAVAILABLE", "no request came in time"],
  [429, "ERR_RATE_LIMITED", "fewer projects"],
  [501, "ERR_REFUSED", "does not support the request; check baseUrl"],
  [505, "ERR_REFUSED", "does not support HTTP/1.1; check baseUrl"],
  [511, "ERR_REFUSED", "wants a login before it lets requests pass"],
];

for (const [status, code, says] of BY_STATUS) {
  itFails(code, respond, [[`status ${status} without a code`, json({ error: status }, status), says]]);
}

const withWords = async (words: object) => respond(json({ error: 403, ...words }, 403));
itFails("ERR_ACCESS_LIST", withWords, [
  [
    "a parameter that its sentence has",
    { errorCode: "IP_ADDRESS_NOT_ON_WHITELIST", detail: "2001:db8::7 is not allowed.", parameters: ["2001:db8::7"] },
    `${NOT_ON_LIST}.*: 2001:db8::7 is not allowed\\)$`,
  ],
  // As self-hosted services respond.
  [
    "a parameter that its sentence does not have",
    { errorCode: "RESOURCE_REQUIRES_ACCESS_LIST", detail: "This needs an access list.", parameters: ["203.0.113.42"] },
    ": This needs an access list, 203\\.0\\.113\\.42\\)$",
  ],
  ["parameters alone", { errorCode: "ORG_REQUIRES_ACCESS_LIST", parameters: ["a\u001b[2J", 5] }, ": a\uFFFD\\[2J\\)$"],
  [
    "an address outside of a subnet",
    { errorCode: "GLOBAL_USER_OUTSIDE_SUBNET", parameters: ["2001:db8::7"] },
    "^the address that the service sees is outside the subnets .* global key; run from one of them.*: 2001:db8::7\\)$",
  ],
]);
itFails("ERR_REFUSED", withWords, [
  ["the words of the service", { errorCode: "TEAPOT", detail: "I brew." }, "\\(status 403, TEAPOT: I brew\\)"],
]);

// What stands in front of the service blames no key, no role and no project. The bodies are those of Cloudflare, Envoy and others.
const FORBIDDEN = { status: 403, body: "<h1>Forbidden</h1>" };
const GATEWAY =
  /^a gateway or proxy in front of the service refuses the request; ask its operator .*baseUrl \(status \d{3}\)$/;
/** The same with what the gateway itself says. */
const saying = (words: string) => new RegExp(`${GATEWAY.source.slice(0, -3)}, ${words}\\)$`);
const CHALLENGE_PAGE = "<!DOCTYPE html><html><title lang=en>\n Just a\n moment... </title><body></body></html>";
itFails("ERR_REFUSED", respond, [
  ["a web page with status 403", FORBIDDEN, GATEWAY],
  ["a title over two lines, of Cloudflare", { ...FORBIDDEN, body: CHALLENGE_PAGE }, saying("Just a moment")],
  ["JSON with a text in error", { ...FORBIDDEN, body: '{"error":"forbidden","message":"No."}' }, saying("No")],
  ["a text of Envoy", { ...FORBIDDEN, body: "RBAC: access denied" }, saying("RBAC: access denied")],
  ["a text of JSON", { ...FORBIDDEN, body: '"password=hunter2"' }, GATEWAY],
  ["a list of JSON", { ...FORBIDDEN, body: '["mongodb://u:pw@h"]' }, GATEWAY],
  ["a part of JSON", { ...FORBIDDEN, body: 'iKey": "0123", "password": "hunter2"' }, GATEWAY],
  ["a text of 200 characters", { ...FORBIDDEN, body: "x".repeat(200) }, saying("x{200}")],
  ["a longer text", { ...FORBIDDEN, body: "x".repeat(201) }, GATEWAY],
  ["a message that is no text", { ...FORBIDDEN, body: '{"message":{"text":"No."}}' }, GATEWAY],
  ["bytes that are no text", { ...FORBIDDEN, body: Uint8Array.of(1, 2, 3) }, GATEWAY],
  ["an empty body with status 403", { status: 403 }, GATEWAY],
  ["a host that a gateway does not serve", { status: 421, body: "<h1>" }, "^the server does not know this host; check"],
  // The article of NGINX on API gateways turns 404 into 400.
  [
    "JSON with status 400 after a signed request",
    { status: 400, body: '{"status":400,"message":"Bad request"}' },
    /^the service, or a gateway in front of it, does not understand the request; check projectId, the path of baseUrl, and any gateway or proxy \(status 400, Bad request\)$/,
  ],
]);
const ANYBODY = "^the service, or a gateway in front of it, ";
itFails("ERR_UNAVAILABLE", respond, [
  ["status 500 of anybody", { status: 500, body: "<h1>" }, `${ANYBODY}failed; try again later, and read its log`],
  ["status 502 of anybody", { status: 502, body: "<h1>" }, `${ANYBODY}got no valid response`],
  ["status 504 of anybody", { status: 504, body: "<h1>" }, `${ANYBODY}got no response in time`],
  ["status 520 of anybody", { status: 520, body: "<h1>" }, `${ANYBODY}failed; try again later \\(`],
  [
    "a gateway without a server",
    { status: 503, body: "no healthy upstream" },
    `${ANYBODY}is overloaded.* later, and check the host of baseUrl .*\\(status 503, no healthy upstream\\)$`,
  ],
  ["the service's own words beside others", json({ detail: "Down.", message: "No." }, 503), "\\(status 503, Down\\)$"],
]);
itFails("ERR_NOT_FOUND", respond, [
  [
    "a page with status 404",
    { status: 404, body: "<h1>Not Found</h1>" },
    /^the service, or a gateway in front of it, has nothing .*; check projectId, and the host, the port and the path of baseUrl \(/,
  ],
]);

const CHALLENGED = asksFor('Digest realm="r", nonce="n", qop="auth"');
const DOUBTFUL_KEY =
  "^the service refuses the key pair, or a gateway has replaced the reason; check the key pair and its roles, and let the gateway pass the errors of the service";
itFails("ERR_WRONG_KEY", respond, [
  // As the article of NGINX has it.
  [
    "JSON in the place of a refusal",
    { ...CHALLENGED, body: '{"status":401,"message":"Unauthorized"}' },
    new RegExp(`${DOUBTFUL_KEY} \\(status 401, Unauthorized\\)$`),
  ],
  ["nothing in the place of a refusal", CHALLENGED, new RegExp(`${DOUBTFUL_KEY} \\(status 401\\)$`)],
  [
    "a refusal of the service",
    { ...CHALLENGED, body: '{"error":401,"reason":"Unauthorized","detail":"You are not authorized."}' },
    /^the service refuses the key pair; check publicKey and privateKey \(status 401, You are not authorized\)$/,
  ],
]);
const withCode = (errorCode: string) =>
  respond({ ...CHALLENGED, body: JSON.stringify({ error: 401, errorCode, detail: "Not for you." }) });
itFails("ERR_WRONG_KEY", async (code: string) => ({ ...(await withCode(code)), facts: { errorCode: undefined } }), [
  ["a blank code", " ", /refuses the key pair; .* \(status 401, Not for you\)/],
  ["a code that says no more than the status", "UNAUTHORIZED", /refuses the key pair; .* \(status 401, Not for you\)/],
]);
itFails("ERR_REFUSED", withCode, [
  [
    "status 401 with a code that nobody knows",
    "NEW_CODE",
    /^the service knows the key and refuses .*NEW_CODE: Not for you\)/,
  ],
]);

/** A server that asks for Digest, and refuses the signed request without another challenge. */
const refuseSigned = async (body: string) => {
  const server = createServer(({ headers: { authorization } }, response) => {
    if (authorization === undefined)
      response.writeHead(401, { "WWW-Authenticate": 'Digest realm="r", nonce="n"' }).end();
    else response.writeHead(401).end(body);
  });
  return { baseUrl: `http://127.0.0.1:${await listen(server)}`, facts: { status: 401 } };
};
itFails("ERR_WRONG_KEY", refuseSigned, [
  [
    "a signed request that the service refuses without a code and a challenge",
    '{"error":401,"detail":"You are not authorized for this resource."}',
    /^the service refuses the key pair; .*\(status 401, You are not/,
  ],
]);
itFails("ERR_REFUSED", refuseSigned, [
  ["a signed request that a gateway refuses with status 401", "<h1>Unauthorized</h1>", GATEWAY],
]);
itFails("ERR_AUTHENTICATION", async (sent: CannedResponse) => ({ ...(await respond(sent)), facts: {} }), [
  ["a malformed one", asksFor('Digest realm="a" nonce'), /^the server's.*malformed.*realm="a" nonce.*check that/],
  ["one of another kind", asksFor('Basic realm="a"'), /^the server's.*basic instead of Digest; check that baseUrl is/],
  ["a long one, in 300 characters", asksFor(`Digest nonce="n", algorithm=${"x".repeat(400)}`), /^.{300}…; check that/],
]);
itFails("ERR_UNAVAILABLE", () => openService({ faults: Array(9).fill(STALE_NONCE) }), [
  [
    "nonces that the service keeps forgetting",
    undefined,
    "^the service rejects every nonce that it has just sent; let a load balancer in front of it keep each client on one server, or try again later \\(",
  ],
]);

const inLatin1 = Buffer.from('{"error":404,"errorCode":"GROUP_NOT_FOUND","detail":"nicht verf\xfcgbar"}', "latin1");
itFails("ERR_PROJECT_NOT_FOUND", respond, [["ISO-8859-1", { status: 404, body: inLatin1 }, "verf\xfcgbar"]]);

// A body may have 1 MiB, and nothing else of the process runs while its words are looked at.
test.each<readonly [string, string]>([
  ["dots", JSON.stringify({ detail: `${".".repeat(1_000_000)}x` })],
  ["parameters", JSON.stringify({ detail: "x".repeat(400_000), parameters: Array(100_000).fill("y") })],
  ["white space", `<title>${" ".repeat(1_000_000)}`],
  ["beginnings of titles", "<title ".repeat(140_000)],
])("a refusal of 1 MiB of %s takes no time", async (_, body) => {
  const begunAt = performance.now();
  serviceError(403, JSON.parse(body.startsWith("{") ? body : "{}"), "Can't read", { text: body });
  expect(performance.now() - begunAt).toBeLessThan(1000);
});

test("one advice on the access list is for all addresses", async () => {
  const causes = await Promise.all(
    ["10.0.0.1", "203.0.113.1"].map(async (address) => {
      const { error } = await failureIn(
        await withWords({ errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST", parameters: [address] }),
      );
      return errorFinding(error).causeKey;
    }),
  );
  expect(new Set(causes).size).toBe(1);
});
