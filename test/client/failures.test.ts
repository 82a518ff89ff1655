import dns from "node:dns";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, type TestContext, test, vi } from "vitest";
import { AgentLogConfigError, type AgentLogConfigErrorCode, type ConnectionOptions } from "../../sdk/client/index.ts";
import { serviceError } from "../../sdk/client/service-error.ts";
import { errorFinding } from "../../sdk/findings/finding.ts";
import type { CannedResponse } from "../../sdk/testing/index.ts";
import { listen } from "../servers/listen.ts";
import {
  hostOf,
  openClient as openClientIn,
  PROXY_PASSWORD,
  PROXY_USER,
  proxyAddress,
} from "../servers/proxy-client.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { type Fault, STALE_NONCE } from "../testing/queue-faults.ts";
import { expectSafe } from "./expect-safe.ts";
import { AUTHORITY, type CertificateOptions, FOR_LOOPBACK, issueCertificate } from "./issue-certificate.ts";
import { KEYS, MONITORING, openClient, openService, PROJECT_ID } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";
import { authority, behindIntermediate, commonAuthority, requireOpenssl, signed, type Trust } from "./trust.ts";

/** Where a read fails, and what its error has beside a code and a sentence. */
interface Situation {
  readonly baseUrl: string;
  readonly options?: Partial<ConnectionOptions>;
  /** The proxy variables; no others are set. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly envelope?: boolean;
  /** How the reason begins. */
  readonly begin?: string;
  /** What stands behind the link. */
  readonly end?: string;
  readonly facts?: object;
}

const OUTAGES = new Set(["ERR_CONNECTION", "ERR_UNAVAILABLE", "ERR_RATE_LIMITED"]);
const BASIC = Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString("base64");
const OF_PROXY = [PROXY_USER, PROXY_PASSWORD, encodeURIComponent(PROXY_PASSWORD), BASIC];
const SECRETS = [KEYS.privateKey, "body-", "response=", ...OF_PROXY];

async function failureIn({ baseUrl, options, environment = {}, envelope }: Situation) {
  const client = openClientIn({ baseUrl }, environment, { caCertificate: undefined, ...options });
  const error = await client.get({ ...MONITORING, envelope }).catch((reason: unknown) => reason);
  if (!(error instanceof AgentLogConfigError)) throw error;
  return { client, error };
}

/** Each row is a cause, what arranges it, and the sentence that it gives. */
function itFails<Input>(
  code: AgentLogConfigErrorCode,
  arrange: (input: Input, context: TestContext) => Promise<Situation>,
  rows: readonly (readonly [cause: string, input: Input, says: RegExp | string])[],
): void {
  it.for(rows)(`%s: ${code}`, async ([, input, says], context) => {
    const situation = await arrange(input, context);
    const { baseUrl, begin = "", end = "", facts } = situation;
    const { client, error } = await failureIn(situation);
    expect(error).toMatchObject({ code, temporary: OUTAGES.has(code), ...facts });
    const subject = `Can't read the monitoring agent's log settings of project ${PROJECT_ID} from ${hostOf(baseUrl)}: `;
    const link = `. See https://www.npmjs.com/package/pulumi-agent-log-config#${code.toLowerCase()}.${end}`;
    const { message, status = 0 } = error;
    expect([message.slice(0, subject.length), message.slice(-link.length)]).toEqual([subject, link]);
    const reason = message.slice(subject.length, -link.length);
    expect(reason.slice(0, begin.length)).toBe(begin);
    expect(reason).toMatch(new RegExp(says));
    if (status >= 400) expect(reason).toContain(`(status ${status}`);
    expectSafe(error);
    const printed = inspect([error, client], { depth: 9, showHidden: true });
    for (const secret of SECRETS) expect(printed).not.toContain(secret);
  });
}

const json = (body: unknown, status = 200) => ({ status, body: JSON.stringify(body) });
const asksFor = (challenge: string) => ({ status: 401, headers: { "WWW-Authenticate": challenge } });

async function respond(response: CannedResponse): Promise<Situation> {
  const service = await openService();
  service.respondWith(() => response);
  return { baseUrl: service.baseUrl, facts: { status: response.status } };
}

const respondInEnvelope = async (body: object) => ({ ...(await respond(json(body))), envelope: true, facts: {} });
const GONE = { errorCode: "GROUP_NOT_FOUND" };

const REFUSES = "the service refuses the read; read what it says, look up its code, and read its log";

const READ_ITS_LOG = "^the service refuses the read; read its log";
const NOT_ON_LIST =
  "^the address that the service sees is not on the key's access list; add it there, unless it is that of a balancer: .*mms\\.remoteIp\\.header";

const REFUSALS: readonly (readonly [number, object, AgentLogConfigErrorCode, string])[] = [
  [401, {}, "ERR_WRONG_KEY", "refuses the key pair"],
  [401, { errorCode: "NOT_IN_GROUP" }, "ERR_NOT_A_MEMBER", "invite the key"],
  [401, { errorCode: "USER_UNAUTHORIZED" }, "ERR_ROLE_MISSING", "give it Project Automation Admin"],
  [403, { errorCode: "USER_UNAUTHORIZED" }, "ERR_ROLE_MISSING", "give it Project Automation Admin"],
  [401, { errorCode: "NO_CURRENT_USER" }, "ERR_WRONG_KEY", "set a new key pair"],
  [400, { errorCode: "INVALID_QUERY_PARAMETER" }, "ERR_REFUSED", "leave out envelope and pretty"],
  [400, { errorCode: "RATE_LIMITED_IP" }, "ERR_RATE_LIMITED", "fewer projects"],
  [402, { errorCode: "ACCOUNT_SUSPENDED" }, "ERR_ACCOUNT_SUSPENDED", "the account is suspended"],
  [402, {}, "ERR_ACCOUNT_SUSPENDED", "payment is required"],
  [403, { errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" }, "ERR_ACCESS_LIST", NOT_ON_LIST],
  [
    403,
    { errorCode: "IP_ADDRESS_NOT_ON_WHITELIST", detail: "2001:db8::7 is not allowed.", parameters: ["2001:db8::7"] },
    "ERR_ACCESS_LIST",
    `${NOT_ON_LIST}.*: 2001:db8::7 is not allowed\\)$`,
  ],
  // As self-hosted services respond: the address is a parameter of a sentence that does not have it.
  [
    403,
    { errorCode: "RESOURCE_REQUIRES_ACCESS_LIST", detail: "This needs an access list.", parameters: ["203.0.113.42"] },
    "ERR_ACCESS_LIST",
    `${NOT_ON_LIST}.*: This needs an access list, 203\\.0\\.113\\.42\\)$`,
  ],
  [403, { errorCode: "FEATURE_UNSUPPORTED" }, "ERR_UNSUPPORTED", "enable automation"],
  [403, { errorCode: "UNSUPPORTED_FOR_CURRENT_PLAN" }, "ERR_UNSUPPORTED", "change the plan"],
  [403, { errorCode: "UNSUPPORTED_FOR_CURRENT_CONFIG" }, "ERR_UNSUPPORTED", "not managed by automation"],
  [401, { errorCode: "USER_CANNOT_ACCESS_GROUP" }, "ERR_NOT_A_MEMBER", "invite the key"],
  [401, { errorCode: "USER_CANNOT_ACCESS_ORG" }, "ERR_NOT_A_MEMBER", "invite the key"],
  [403, { errorCode: "ACCESS_FORBIDDEN" }, "ERR_ROLE_MISSING", "give it Project Automation Admin"],
  ...["RESOURCE_REQUIRES", "ORG_REQUIRES", "IP_ADDRESS_NOT_ON"].flatMap((begin) =>
    [`${begin}_ACCESS_LIST`, `${begin}_WHITELIST`].map(
      (errorCode) =>
        [
          403,
          { errorCode, parameters: ["203.0.113.42"] },
          "ERR_ACCESS_LIST",
          `${NOT_ON_LIST}.*${errorCode}: 203\\.0\\.113\\.42\\)$`,
        ] as const,
    ),
  ),
  [403, { errorCode: "ORG_REQUIRES_ACCESS_LIST", parameters: ["a\u001b[2J", 5] }, "ERR_ACCESS_LIST", NOT_ON_LIST],
  [
    403,
    { errorCode: "GLOBAL_USER_OUTSIDE_SUBNET", parameters: ["2001:db8::7"] },
    "ERR_ACCESS_LIST",
    "^the address that the service sees is outside the subnets .* global key; run from one of them.*: 2001:db8::7\\)$",
  ],
  [403, { errorCode: "NO_FREE_TIER_API" }, "ERR_UNSUPPORTED", "change the plan"],
  [404, { errorCode: "ATLAS_GROUP" }, "ERR_UNSUPPORTED", "an Atlas project"],
  [402, { errorCode: "NO_PAYMENT_INFORMATION_FOUND" }, "ERR_ACCOUNT_SUSPENDED", "payment is required"],
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
  [502, {}, "ERR_UNAVAILABLE", "a gateway in front of it"],
  [501, {}, "ERR_REFUSED", "does not support the request; check baseUrl"],
  [505, {}, "ERR_REFUSED", "does not support HTTP/1.1; check baseUrl"],
  [511, {}, "ERR_REFUSED", "wants a login before it lets requests pass"],
  [503, {}, "ERR_UNAVAILABLE", "overloaded or down"],
  [503, { errorCode: "GROUP_NOT_FOUND" }, "ERR_UNAVAILABLE", "overloaded or down"],
  [504, {}, "ERR_UNAVAILABLE", "no response in time"],
  [400, { errorCode: "toString" }, "ERR_REFUSED", `^${REFUSES} \\(status 400, toString\\)`],
  [
    400,
    { errorCode: "VALIDATION_ERROR", detail: "No." },
    "ERR_REFUSED",
    `^${REFUSES} \\(status 400, VALIDATION_ERROR: No\\)`,
  ],
  [403, { errorCode: "API_KEY_NOT_FOUND" }, "ERR_REFUSED", `^${REFUSES} \\(`],
  [404, { errorCode: "ORG_NOT_FOUND" }, "ERR_NOT_FOUND", `^${REFUSES} \\(`],
  [404, { errorCode: "EXPECTED_NON_ATLAS_ORG" }, "ERR_UNSUPPORTED", "an Atlas project"],
  [404, { errorCode: "USER_NOT_IN_GROUP" }, "ERR_NOT_A_MEMBER", "invite the key"],
  [400, {}, "ERR_REFUSED", READ_ITS_LOG],
  [405, {}, "ERR_REFUSED", READ_ITS_LOG],
  [410, { detail: "It is gone." }, "ERR_REFUSED", `${READ_ITS_LOG} \\(status 410, It is gone\\)`],
  [418, { errorCode: "TEAPOT", detail: "I brew." }, "ERR_REFUSED", `${REFUSES} \\(status 418, TEAPOT: I brew\\)`],
];

for (const [status, body, code, says] of REFUSALS) {
  const { detail: _, parameters: __, ...facts }: { readonly detail?: string; readonly parameters?: unknown } = body;
  const sent = { status, body: JSON.stringify({ error: status, ...body }) };
  const arrange = async () => ({ ...(await respond(sent)), facts: { status, ...facts } });
  itFails(code, arrange, [[`status ${status} ${JSON.stringify(body)}`, undefined, says]]);
}

/** What a body with status 200 is, whether or not an envelope was asked for. */
const IN_BOTH: readonly (readonly [body: object, says: string, status?: number])[] = [
  [{ error: 404, ...GONE }, "no such project", 404],
  [{ error: 404, ...GONE, badRequestDetail: { fields: [] } }, "no such project", 404],
  [{ error: { code: 404 }, ...GONE }, "no such project"],
  [{ logPath: "/l", error: 404, ...GONE }, "no such project", 404],
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
];

for (const [body, says, status = 200] of IN_BOTH) {
  const code = "errorCode" in body && body.errorCode !== "TEAPOT" ? "ERR_PROJECT_NOT_FOUND" : "ERR_INVALID_RESPONSE";
  const arrange = async (envelope: boolean) => ({ ...(await respond(json(body))), envelope, facts: { status } });
  itFails(code, arrange, [
    [`${JSON.stringify(body)} with an envelope`, true, says],
    [`${JSON.stringify(body)} without one`, false, says],
  ]);
}

/** Refusals in an envelope; without one they are no settings. */
const IN_ENVELOPE: readonly (readonly [body: object, code: AgentLogConfigErrorCode, status: number])[] = [
  [{ status: 404, content: { error: 404, ...GONE } }, "ERR_PROJECT_NOT_FOUND", 404],
  [{ code: "404", payload: { ...GONE, badRequestDetail: {} } }, "ERR_PROJECT_NOT_FOUND", 404],
  [{ status: 200, content: { error: 404, ...GONE } }, "ERR_PROJECT_NOT_FOUND", 404],
  [{ status: 503, content: { logPath: "/l" } }, "ERR_UNAVAILABLE", 503],
  [{ status: 503, content: "Service Unavailable" }, "ERR_UNAVAILABLE", 503],
];

for (const [body, code, status] of IN_ENVELOPE) {
  const arrange = async () => ({ ...(await respondInEnvelope(body)), facts: { status } });
  itFails(code, arrange, [[`in an envelope ${JSON.stringify(body)}`, undefined, ""]]);
  itFails("ERR_INVALID_RESPONSE", respond, [[JSON.stringify(body), json(body), "none of the fields of log settings"]]);
}

itFails("ERR_INVALID_RESPONSE", respondInEnvelope, [
  ["a redirect in an envelope", { status: 302, content: {} }, "the response has status 302 instead of 200"],
  ["text in an envelope", { status: 200, content: "nothing" }, "because the body must be an object; check"],
  ["a login in an envelope", { status: 200, content: { message: "login required" } }, "but message;"],
  ["a code beside settings", { status: 200, content: { errorCode: "TEAPOT", logPath: "/l" } }, "spite of its.*TEAPOT"],
]);

const refusedWith = async (errorCode: string) => {
  const challenge = 'Digest realm="r", nonce="n", qop="auth"';
  const sent = { ...asksFor(challenge), body: JSON.stringify({ error: 401, errorCode, detail: "Not for you." }) };
  return { ...(await respond(sent)), facts: { status: 401, errorCode } };
};
itFails("ERR_REFUSED", refusedWith, [
  [
    "status 401 with a code that nobody knows",
    "NEW_CODE",
    /^the service knows the key and refuses .*NEW_CODE: Not for you\)/,
  ],
]);

// What stands in front of the service blames no key, no role and no project. The bodies are those of Cloudflare, F5, Azure and nginx.
const FORBIDDEN = { status: 403, body: "<h1>Forbidden</h1>" };
const GATEWAY =
  /^a gateway or proxy in front of the service refuses the request; ask its operator .*baseUrl \(status \d{3}\)$/;
/** The same with what the gateway itself says. */
const saying = (words: string) => new RegExp(`${GATEWAY.source.slice(0, -3)}, ${words}\\)$`);
const CHALLENGE_PAGE = "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body></body></html>";
const SUPPORT_ID = "<html><body>The requested URL was rejected. Your support ID is: 1234567890</body></html>";
const AZURE = JSON.stringify({ statusCode: 403, message: "Forbidden" });
const PLAIN_TO_TLS = "<h1>400 Bad Request</h1><center>The plain HTTP request was sent to HTTPS port</center>";
itFails("ERR_REFUSED", respond, [
  ["a web page with status 403", FORBIDDEN, GATEWAY],
  [
    "a challenge of Cloudflare",
    { ...FORBIDDEN, headers: { "cf-mitigated": "challenge" }, body: CHALLENGE_PAGE },
    saying("Just a moment"),
  ],
  ["a page of F5", { ...FORBIDDEN, body: SUPPORT_ID }, GATEWAY],
  ["JSON of Azure", { ...FORBIDDEN, body: AZURE }, saying("Forbidden")],
  ["JSON with a text in error", { ...FORBIDDEN, body: '{"error":"forbidden","message":"No."}' }, saying("No")],
  ["a text of Envoy", { ...FORBIDDEN, body: "RBAC: access denied" }, saying("RBAC: access denied")],
  ["a text of JSON", { ...FORBIDDEN, body: '"password=hunter2"' }, GATEWAY],
  ["a list of JSON", { ...FORBIDDEN, body: '["mongodb://u:pw@h"]' }, GATEWAY],
  ["a part of JSON", { ...FORBIDDEN, body: 'iKey": "0123", "password": "hunter2"' }, GATEWAY],
  [
    "a title over two lines",
    { ...FORBIDDEN, body: "<title lang=en>\n Access\n denied </title>" },
    saying("Access denied"),
  ],
  ["a text of 200 characters", { ...FORBIDDEN, body: "x".repeat(200) }, saying("x{200}")],
  ["a longer text", { ...FORBIDDEN, body: "x".repeat(201) }, GATEWAY],
  ["a long title", { ...FORBIDDEN, body: `<title>${"x".repeat(201)}</title>` }, GATEWAY],
  ["a long message", { ...FORBIDDEN, body: JSON.stringify({ message: "x".repeat(201) }) }, GATEWAY],
  ["a message that is no text", { ...FORBIDDEN, body: '{"message":{"text":"No."}}' }, GATEWAY],
  ["JSON that is cut off", { ...FORBIDDEN, body: '{"password":"body-password' }, GATEWAY],
  ["bytes that are no text", { ...FORBIDDEN, body: Uint8Array.of(1, 2, 3) }, GATEWAY],
  ["an empty body with status 403", { status: 403 }, GATEWAY],
  ["status 405 of a gateway", { status: 405 }, GATEWAY],
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
  [
    "the router of OpenShift at another host",
    { status: 503, body: "<html><head><title>Application is not available</title></head></html>" },
    "\\(status 503, Application is not available\\)$",
  ],
  ["the service's own words beside others", json({ detail: "Down.", message: "No." }, 503), "\\(status 503, Down\\)$"],
]);
itFails("ERR_INVALID_RESPONSE", respond, [
  [
    "a message beside the status of a success",
    json({ errorCode: "TEAPOT", message: "No." }),
    "\\(status 200, TEAPOT\\)$",
  ],
]);
itFails("ERR_NOT_FOUND", respond, [
  [
    "a page with status 404",
    { status: 404, body: "<h1>Not Found</h1>" },
    /^the service, or a gateway in front of it, has nothing .*; check projectId, and the host, the port and the path of baseUrl \(/,
  ],
]);
itFails("ERR_REFUSED", respond, [
  ["a host that a gateway does not serve", { status: 421, body: "<h1>" }, "^the server does not know this host; check"],
]);
const CHALLENGED = asksFor('Digest realm="r", nonce="n", qop="auth"');
const DOUBTFUL_KEY =
  "^the service refuses the key pair, or a gateway has replaced the reason; check the key pair and its roles, and let the gateway pass the errors of the service";
itFails("ERR_WRONG_KEY", respond, [
  [
    "a page in the place of a refusal",
    { ...CHALLENGED, body: "<html><head><title>Example Corp: sign in</title></head></html>" },
    new RegExp(`${DOUBTFUL_KEY} \\(status 401, Example Corp: sign in\\)$`),
  ],
  // As the article of NGINX on API gateways has it.
  [
    "JSON in the place of a refusal",
    { ...CHALLENGED, body: '{"status":401,"message":"Unauthorized"}' },
    new RegExp(`${DOUBTFUL_KEY} \\(status 401, Unauthorized\\)$`),
  ],
  [
    "a text for the status, as of Spring",
    { ...CHALLENGED, body: '{"status":401,"error":"Unauthorized"}' },
    new RegExp(`${DOUBTFUL_KEY} \\(status 401\\)$`),
  ],
  ["nothing in the place of a refusal", CHALLENGED, new RegExp(`${DOUBTFUL_KEY} \\(status 401\\)$`)],
  [
    "a refusal of the service",
    { ...CHALLENGED, body: '{"error":401,"reason":"Unauthorized","detail":"You are not authorized."}' },
    /^the service refuses the key pair; check publicKey and privateKey \(status 401, You are not authorized\)$/,
  ],
]);
itFails("ERR_REFUSED", respond, [
  // The same article turns 404 into 400.
  [
    "JSON with status 400 after a signed request",
    { status: 400, body: '{"status":400,"message":"Bad request"}' },
    /^the service, or a gateway in front of it, does not understand the request; check projectId, the path of baseUrl, and any gateway or proxy \(status 400, Bad request\)$/,
  ],
]);
const GZIP = { "Content-Encoding": "gzip" };
itFails("ERR_NOT_A_MEMBER", respond, [
  [
    "a refusal in gzip",
    {
      ...CHALLENGED,
      headers: { ...CHALLENGED.headers, ...GZIP },
      body: gzipSync('{"error":401,"errorCode":"NOT_IN_GROUP"}'),
    },
    "invite the key .*NOT_IN_GROUP",
  ],
]);
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

itFails("ERR_ACCOUNT_SUSPENDED", respond, [["a page with status 402", { status: 402, body: "<h1>Pay</h1>" }, GATEWAY]]);

const emptyCode = async (errorCode: string) => {
  const challenge = 'Digest realm="r", nonce="n", qop="auth"';
  const sent = { ...asksFor(challenge), body: JSON.stringify({ error: 401, errorCode, detail: "You are not." }) };
  return { ...(await respond(sent)), facts: { status: 401, errorCode: undefined } };
};
itFails("ERR_WRONG_KEY", emptyCode, [
  ["a blank code", " ", /refuses the key pair; .* \(status 401, You are not\)/],
  ["an empty code, as gateways in Go write it", "", /refuses the key pair; .* \(status 401, You are not\)/],
  ["a code that says no more than the status", "UNAUTHORIZED", /refuses the key pair; .* \(status 401, You are not\)/],
]);

const inLatin1 = async (status: number, errorCode: string) => {
  const body = Buffer.from(JSON.stringify({ error: status, errorCode, detail: "Gruppe nicht verf\xfcgbar" }), "latin1");
  return { ...(await respond({ status, body })), facts: { status, errorCode } };
};
itFails("ERR_PROJECT_NOT_FOUND", () => inLatin1(404, "GROUP_NOT_FOUND"), [["ISO-8859-1", undefined, "verf\xfcgbar"]]);
itFails("ERR_ROLE_MISSING", () => inLatin1(403, "USER_UNAUTHORIZED"), [["ISO-8859-1", undefined, "verf\xfcgbar"]]);

test("one advice on the access list is for all addresses", async () => {
  const causes = await Promise.all(
    ["10.0.0.1", "203.0.113.1"].map(async (address) => {
      const body = JSON.stringify({ error: 403, errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST", parameters: [address] });
      const { error } = await failureIn(await respond({ status: 403, body }));
      return errorFinding(error).causeKey;
    }),
  );
  expect(new Set(causes).size).toBe(1);
});
itFails("ERR_UNAVAILABLE", () => openService({ faults: Array(9).fill(STALE_NONCE) }), [
  [
    "nonces that the service keeps forgetting",
    undefined,
    "^the service rejects every nonce that it has just sent; let a load balancer in front of it keep each client on one server, or try again later \\(",
  ],
]);

// None of them blames the key.
itFails("ERR_REFUSED", async (body: object) => ({ ...(await respondInEnvelope(body)), facts: { status: 401 } }), [
  ["status 401 in an envelope", { status: 401, content: { error: 401 } }, READ_ITS_LOG],
]);
itFails("ERR_REFUSED", async (body: object) => ({ ...(await respondInEnvelope(body)), facts: { status: 403 } }), [
  ["status 403 in an envelope without content", { status: 403, content: {} }, /^the service does not allow this key/],
]);
itFails("ERR_NOT_FOUND", async (body: object) => ({ ...(await respondInEnvelope(body)), facts: { status: 404 } }), [
  [
    "status 404 in an envelope without content",
    { status: 404, content: "" },
    /^the service has nothing at this address/,
  ],
]);

/** A server that asks for Digest, and refuses the signed request without another challenge. */
const refuseSigned = async (body: string) => {
  const server = createHttpServer(({ headers: { authorization } }, response) => {
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
  [
    "a signed request that the service refuses with a code and without a challenge",
    '{"error":401,"errorCode":"NEW_CODE"}',
    /^the service knows the key and refuses .*NEW_CODE\)/,
  ],
]);
itFails("ERR_AUTHENTICATION", async (sent: CannedResponse) => ({ ...(await respond(sent)), facts: {} }), [
  ["a malformed one", asksFor('Digest realm="a" nonce'), /^the server's.*malformed.*realm="a" nonce.*check that/],
  ["one of another kind", asksFor('Basic realm="a"'), /^the server's.*basic instead of Digest; check that baseUrl is/],
  ["a long one, in 300 characters", asksFor(`Digest nonce="n", algorithm=${"x".repeat(400)}`), /^.{300}…; check that/],
]);

itFails("ERR_INVALID_RESPONSE", (sent: Partial<CannedResponse>) => respond({ status: 200, ...sent }), [
  ["HTML", { headers: { "Content-Type": "text/html" }, body: "<html>" }, /a web page instead of JSON \(text\/html\)/],
  [
    "a page with a title",
    { body: "\n<html><title>Down until 18:00.</title>" },
    /^the response is a web page instead of JSON \(no content type\); check baseUrl and any proxy \(Down until 18:00\)$/,
  ],
  ["a text, which may be settings", { body: "password=hunter2" }, /check baseUrl and any proxy$/],
  ["nothing", { body: "" }, /is empty \(no content type\)/],
  ["JSON that is cut off", { body: '{"logPath":"/var' }, "is not JSON, or was cut off"],
  ["a status of another kind", { body: '{"status":{"toString":1},"content":{},"logPath":5}' }, "must be a string"],
  ["a list", { body: "[]" }, /^the response can't be used, because the body must be an object; check baseUrl/],
  ["a number for a path", { body: '{"password":"body-password","logPath":5}' }, "logPath must be a string"],
  ["too long a number", json({ logRotate: { numTotal: "9".repeat(400) } }), "logRotate.numTotal must be a number"],
  ...["0x10", "0b11", "0o7", "Infinity", "-Infinity", "1e999", "1_000", "e", "1,5"].map(
    (text) =>
      [`${text} for a number`, json({ logRotate: { numTotal: text } }), "logRotate.numTotal must be a number"] as const,
  ),
  ["words for a number", json({ logRotate: { numTotal: "many" } }), "logRotate.numTotal must be a number"],
  ["another status", { status: 204 }, "status 204"],
  [
    "a redirect, whose token is not shown",
    { status: 302, headers: { Location: "https://sso.example.com/login?token=body-token" } },
    /redirects to https:\/\/sso\.example\.com \(status 302\)/,
  ],
  ...["/login", "login?to=a:b", "?a=b", "../login", "monitoringAgentConfig"].map(
    (Location) =>
      [
        `a redirect to ${Location}`,
        { status: 302, headers: { Location } },
        "redirects to a path of the same server",
      ] as const,
  ),
  // WHATWG URL: a backslash is a slash, and a tab is nothing.
  ...["//sso.example.com", "/\\sso.example.com/", "\\\\sso.example.com", "/\t/sso.example.com"].map(
    (Location) =>
      [
        `a redirect to ${Location}`,
        { status: 302, headers: { Location } },
        /redirects to http:\/\/sso\.example\.com \(status 302\)/,
      ] as const,
  ),
  ...["", "http://", "javascript:alert(1)"].map(
    (Location) =>
      [
        `a redirect to ${Location}`,
        { status: 302, headers: { Location } },
        /redirects to another address \(status 302\)/,
      ] as const,
  ),
  ["a list of overrides", { body: '{"configOverrides":[]}' }, "configOverrides must be an object"],
  [
    "a coding that nobody has asked for and that is not read",
    { headers: { "Content-Encoding": "br" }, body: brotliCompressSync("{}") },
    "is not JSON",
  ],
  ["a coding that it does not have", { headers: GZIP, body: '{"logPath":5}' }, "logPath must be a string"],
  ["gzip that is cut off", { headers: GZIP, body: gzipSync("{}").subarray(0, 15) }, "is not JSON, or was cut off"],
  [
    "more than 1 MiB in gzip",
    { headers: GZIP, body: gzipSync(`{"logPath":"${"l".repeat(1_048_576)}"}`) },
    "is not JSON, or was cut off",
  ],
  ["another charset than UTF-8", { body: Buffer.from('{"logPath":"/m\xfcnchen.log"}', "latin1") }, "is not UTF-8"],
]);

const TOO_LONG = { status: 200, body: JSON.stringify({ logPath: "l".repeat(1_048_576) }) };
// Nothing is known of it.
itFails("ERR_INVALID_RESPONSE", async (sent: CannedResponse) => ({ ...(await respond(sent)), facts: {} }), [
  ["more than 1 MiB", TOO_LONG, "longer than 1 MiB"],
  ["long headers", { status: 200, headers: { "X-Long": "x".repeat(1_048_576) } }, "^the headers of its .*; check"],
]);

async function certify(issue: () => Trust, context: TestContext): Promise<Situation> {
  requireOpenssl(context);
  const { caCertificate, ...tls } = issue();
  return { baseUrl: (await openService({ tls })).baseUrl, options: { caCertificate } };
}

const untrusted = () => issueCertificate({ issuer: commonAuthority() });
const otherHost = () => signed({ extensions: ["subjectAltName=DNS:other.example,IP:192.0.2.1"] });
const otherSelf = () => ({ ...issueCertificate(), caCertificate: authority().cert });
const otherAuthority = () => ({ ...untrusted(), caCertificate: authority("Another authority").cert });

function untrustedChain(): Trust {
  const { key, cert } = untrusted();
  return { key, cert: cert + commonAuthority().cert };
}

function renewed(): Trust {
  const withoutIds = ["subjectKeyIdentifier=none", "authorityKeyIdentifier=none"];
  const renewable = () => authority("Example authority", { extensions: [...AUTHORITY, ...withoutIds] });
  const extensions = [...FOR_LOOPBACK, ...withoutIds];
  return { ...issueCertificate({ issuer: renewable(), extensions }), caCertificate: renewable().cert };
}

describe("a certificate", () => {
  itFails("ERR_TLS", certify, [
    [
      "has expired",
      () => signed({ until: "20200102000000Z" }),
      /\(valid until Jan {1,2}2 00:00:00 2020 GMT\).*expired; renew it .* the clock of this machine/,
    ],
    ["is not valid yet", () => signed({ from: "21190101000000Z" }), /not valid yet; check the clock of this machine/],
    ["is for another host", otherHost, /another host name \(other\.example, 192\.0\.2\.1\); check.*baseUrl/],
    ["is signed by itself", () => issueCertificate(), /self-signed; set caCertificate/],
    ["is signed by itself, and another one is trusted", otherSelf, /self-signed and is not the one in/],
    ["has an unknown authority", untrusted, /not trusted here \(Example authority\); set caCertificate .*intermediate/],
    ["comes from another authority than that in caCertificate", otherAuthority, /is not the one in caCertificate/],
    [
      "comes with an unknown authority",
      untrustedChain,
      /not trusted here \(Example authority\); set caC.*SELF_SIGNED_CERT_IN_CHAIN/,
    ],
    ["comes from an authority that has another key now", renewed, /did not sign it/],
    ["comes without the intermediate one", () => behindIntermediate("root"), /intermediate/],
    ["comes from a trusted intermediate authority without its root", () => behindIntermediate("intermediate"), /root/],
  ]);
});

async function startTlsServer(options: ServerOptions): Promise<string> {
  return `https://127.0.0.1:${await listen(createTlsServer(options))}`;
}

describe.each([true, false])("a certificate that OpenSSL refuses is no outage, behind a proxy: %s,", (isProxied) => {
  async function certifyUnsuitably(options: CertificateOptions, context: TestContext): Promise<Situation> {
    requireOpenssl(context);
    const { caCertificate, ...certificate } = signed(options);
    const baseUrl = await startTlsServer({ ...certificate, ciphers: "DEFAULT@SECLEVEL=0" });
    const { origin, targets } = await startProxyStandIn();
    // It is not asked again.
    onTestFinished(() => expect(targets).toHaveLength(isProxied ? 1 : 0));
    return {
      baseUrl,
      options: { caCertificate, maxRetries: 3 },
      environment: isProxied ? { https_proxy: origin } : {},
    };
  }

  const begin = "^its certificate is refused, because OpenSSL says";
  const route = isProxied ? ", through the proxy 127\\.0\\.0\\.1:\\d+" : "";
  itFails("ERR_TLS", certifyUnsuitably, [
    [
      "another purpose",
      { extensions: [...FOR_LOOPBACK, "extendedKeyUsage=clientAuth"] },
      `${begin} "unsuitable certificate purpose"; .* \\(INVALID_PURPOSE${route}\\)`,
    ],
    ["a short key", { newKey: ["rsa:1024"] }, `${begin} "EE certificate key too weak"; .* \\(UNSPECIFIED${route}\\)`],
  ]);
});

/** Starts a server that does this with whatever asks it. */
async function startServer(react: (socket: Socket) => void, protocol = "http"): Promise<string> {
  const server = createServer((socket) => void socket.once("data", () => react(socket)));
  return `${protocol}://127.0.0.1:${await listen(server)}`;
}

function sending(bytes: string | Uint8Array, protocol?: string): () => Promise<string> {
  return () => startServer((socket) => socket.end(bytes), protocol);
}

/** Sends a fatal alert of TLS in the place of a handshake. */
const alerting = (alert: number) => sending(Buffer.from([21, 3, 3, 0, 2, 2, alert]), "https");
/** A ServerHello without extensions. */
const helloOf = (version: string) => Buffer.from(`160303002a02000026${version}${"00".repeat(32)}00c02f00`, "hex");
const OLD = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
const MUTUAL = { ...TLS, requestCert: true, rejectUnauthorized: true };
const startPlain = async () => `https://127.0.0.1:${await listen(createHttpServer())}`;
const startOverTls = async () => (await openService({ tls: TLS })).baseUrl.replace("https:", "http:");
const NO_HTTP = 'HTTP/1.1 200 OK\r\nbad header\r\n\r\n{"password":"body-1"}';

const withHeader = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n{"password":"body-1"}`;

/** nginx accepts the connection, and refuses the request with a page. */
async function startNginx(): Promise<string> {
  const page = "<center><h1>400 Bad Request</h1></center>\r\n<center>No required SSL certificate was sent</center>";
  const server = createTlsServer(TLS, (_, response) =>
    response.writeHead(400, { "Content-Type": "text/html" }).end(page),
  );
  return `https://127.0.0.1:${await listen(server)}`;
}

/** baseUrl and its scheme are right. */
const HANDSHAKE = "^the TLS handshake failed; check the TLS of the server, and of what stands in front of it";

async function reach(start: () => Promise<string>): Promise<Situation> {
  return { baseUrl: await start(), options: { caCertificate: CA_FILE } };
}

itFails("ERR_TLS", reach, [
  ["no TLS later than 1.1", () => startTlsServer({ ...TLS, ...OLD }), "TLS 1.2"],
  ["clients' certificates in TLS 1.2", () => startTlsServer({ ...MUTUAL, maxVersion: "TLSv1.2" }), "from its clients"],
  ["plain HTTP at an https address", startPlain, "does not speak TLS.*baseUrl"],
  ["clients' certificates in TLS 1.3", () => startTlsServer(MUTUAL), "from its clients.*_ALERT_CERTIFICATE_REQUIRED"],
  ["clients' certificates at nginx", startNginx, "from its clients.*\\(status 400\\)"],
  ["alert bad_certificate", alerting(42), "from its clients"],
  ["alert unknown_ca", alerting(48), "from its clients"],
  ["alert access_denied", alerting(49), "from its clients"],
  [
    "alert unrecognized_name",
    alerting(112),
    "^it does not know the host name of baseUrl; check the host of baseUrl, or add the name to the server",
  ],
  ["alert no_application_protocol", alerting(120), `${HANDSHAKE} \\(ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL\\)$`],
  ["no secure renegotiation", sending(helloOf("0303"), "https"), "secure renegotiation"],
  ["alert internal_error", alerting(80), `${HANDSHAKE} \\(ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR\\)$`],
  ["alert insufficient_security", alerting(71), `${HANDSHAKE} \\(ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY\\)$`],
  ["an old version of TLS", sending(helloOf("0301"), "https"), `${HANDSHAKE} \\(ERR_SSL_UNSUPPORTED_PROTOCOL\\)$`],
]);
const unsigned = (body: string, status = 401) =>
  sending(`HTTP/1.1 ${status} X\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
itFails("ERR_NOT_FOUND", reach, [
  [
    "a page with status 404 without a challenge",
    unsigned("<h1>", 404),
    "^a gateway or another server has nothing at this address; check the host, the port and the path of baseUrl \\(",
  ],
]);
itFails("ERR_REFUSED", reach, [
  [
    "a page with status 400 without a challenge",
    unsigned(PLAIN_TO_TLS, 400),
    /^the server does not understand .*; check the scheme, the host and the port of baseUrl/,
  ],
  [
    "a host that Jetty does not know",
    unsigned("<title>Error 400 Invalid SNI</title>", 400),
    /^the server does not understand .* \(status 400, Error 400 Invalid SNI\)$/,
  ],
]);
const NO_DIGEST = /^the server does not ask for HTTP Digest; check baseUrl/;
itFails("ERR_AUTHENTICATION", reach, [
  ["no challenge of a gateway", unsigned("<h1>"), NO_DIGEST],
  ["no challenge of the service", unsigned('{"error":401}'), NO_DIGEST],
  ["no challenge beside a code", unsigned('{"error":401,"errorCode":"NEW_CODE"}'), NO_DIGEST],
]);
itFails("ERR_INVALID_RESPONSE", reach, [
  ...["{}", '{"name":"edge"}', '{"username":""}', '{"username":null}', '{"logRotate":{"numTotal":null}}'].map(
    (body) =>
      [
        `${body} without a challenge`,
        unsigned(body, 200),
        "^the response has no setting, and the server has not asked for HTTP Digest; check baseUrl",
      ] as const,
  ),
]);
itFails("ERR_CONNECTION", reach, [
  ["TLS at an http address", startOverTls, "if this port speaks TLS, write https: in baseUrl"],
]);
const CLOSING = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
itFails("ERR_CONNECTION", reach, [
  ["a body that is cut", sending(`${CLOSING}Content-Length: 9\r\n\r\n{}`), "^the connection was cut"],
  ["a chunk that is cut", sending(`${CLOSING}Transfer-Encoding: chunked\r\n\r\n9\r\n{}`), "^the connection was cut"],
  ["a head that is cut", sending("HTTP/1.1 2"), "^the connection was cut"],
]);
itFails("ERR_INVALID_RESPONSE", reach, [
  ["another protocol", sending("SSH-2.0-example\r\n"), "^its response is not HTTP; check the port and the scheme"],
  [
    "a line that is no header",
    sending(NO_HTTP),
    /^its response breaks the rules of HTTP; have .*\(Invalid header token\)/,
  ],
  [
    "a folded header line",
    sending(withHeader("X-Long: a\r\n b")),
    /breaks the rules .*\(Unexpected whitespace after header value\)/,
  ],
  [
    "lines that end with LF alone",
    sending(withHeader("X-A: 1\nX-B: 2")),
    /breaks the rules .*\(Missing expected CR after header value\)/,
  ],
  ["a space in the name of a header", sending(withHeader("X Name: a")), /breaks the rules .*\(Invalid header token\)/],
  [
    "two lengths",
    sending(withHeader("Content-Length: 2\r\nContent-Length: 3")),
    /breaks the rules .*\(Content-Length twice/,
  ],
  [
    "a status below 100",
    sending("HTTP/1.1 099 X\r\n\r\n"),
    "^its response breaks the rules of HTTP, because its status is",
  ],
  ["status 101 without Upgrade", sending("HTTP/1.1 101 X\r\n\r\n"), "because its status is 101 or below 100;"],
  ["status 100 that nothing has asked for", sending("HTTP/1.1 100 Continue\r\n\r\n"), "^it sends status 100 or 101,"],
  [
    "status 101 that nothing has asked for",
    sending("HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    "^it sends status 100 or 101,",
  ],
  ["status 600", sending("HTTP/1.1 600 X\r\nContent-Length: 0\r\n\r\n"), "a status that HTTP does not define"],
  ["status 999", sending("HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n"), "a status that HTTP does not define"],
  ["status 304", sending("HTTP/1.1 304 X\r\n\r\n"), "the response has status 304 instead of 200"],
]);

async function startNothing(): Promise<string> {
  const free = createServer();
  const port = await listen(free);
  free.close();
  await once(free, "close");
  return `http://127.0.0.1:${port}`;
}

const systemError = (code: string, syscall = "connect", place: object = {}) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall, ...place });

/** A host whose name leads to this error, as Node.js reports that of each address. */
async function reachByName(error: Error): Promise<Situation> {
  const lookup = vi.spyOn(dns, "lookup").mockImplementation((...args: unknown[]) => {
    const found = args.at(-1);
    if (typeof found === "function") found(error);
  });
  onTestFinished(() => lookup.mockRestore());
  return { baseUrl: "http://service.example:8443" };
}

const OF_SYSTEM = "^the connection failed; check the network, firewalls and the limits of this machine";
const at = (address: string) => ({ address, port: 8443 });
const NO_ROUTE_6 = systemError("ENETUNREACH", "connect", at("2001:db8::1"));
itFails("ERR_CONNECTION", reachByName, [
  ...["EACCES", "EPERM", "EADDRNOTAVAIL", "ENETDOWN", "EHOSTDOWN", "ETIMEDOUT"].map(
    (code) =>
      [code, systemError(code, "connect", at("10.1.2.3")), `${OF_SYSTEM} \\(${code}, 10\\.1\\.2\\.3:8443\\)$`] as const,
  ),
  ...["EAI_FAIL", "EAI_NODATA"].map(
    (code) => [code, systemError(code, "getaddrinfo"), `${OF_SYSTEM} \\(${code}\\)$`] as const,
  ),
  ["one address without a route", NO_ROUTE_6, "no route to it.*\\(ENETUNREACH, \\[2001:db8::1\\]:8443\\)$"],
  [
    "an address without a route before another one",
    new AggregateError([NO_ROUTE_6, systemError("ECONNREFUSED", "connect", at("10.1.2.3"))]),
    "^nothing listens there.*\\(ECONNREFUSED, 10\\.1\\.2\\.3:8443\\)$",
  ],
  [
    "an address of IPv6, which this machine does not have, before another one",
    new AggregateError([
      systemError("EADDRNOTAVAIL", "connect", at("2001:db8::1")),
      systemError("EACCES", "connect", at("10.1.2.3")),
    ]),
    `${OF_SYSTEM} \\(EACCES, 10\\.1\\.2\\.3:8443\\)$`,
  ],
  // Linux without IPv6, in a container for example.
  ...["EAFNOSUPPORT", "EINVAL"].map(
    (code) =>
      [
        `${code} of an address of IPv6 before another one`,
        new AggregateError([
          systemError(code, "connect", at("2001:db8::1")),
          systemError("ECONNREFUSED", "connect", at("10.1.2.3")),
        ]),
        "^nothing listens there.*\\(ECONNREFUSED, 10\\.1\\.2\\.3:8443\\)$",
      ] as const,
  ),
  ["addresses of which none has a route", new AggregateError([NO_ROUTE_6, NO_ROUTE_6]), "no route to it"],
]);

// In a test of Jest, and in the pools vmThreads and vmForks of Vitest, errors of Node.js are no instances of Error.
const foreign = (members: object, source = "new Error('it fails')"): Error =>
  Object.assign(runInNewContext(source), members);
const REFUSED = foreign({ code: "ECONNREFUSED", syscall: "connect", ...at("10.1.2.3") });
const UNROUTED = foreign({ code: "ENETUNREACH", syscall: "connect", ...at("2001:db8::1") });
const NOTHING_LISTENS = "^nothing listens there.*\\(ECONNREFUSED, 10\\.1\\.2\\.3:8443\\)$";
itFails("ERR_CONNECTION", reachByName, [
  ["an error of another realm", REFUSED, NOTHING_LISTENS],
  ["errors of another realm", foreign({ errors: [UNROUTED, REFUSED] }, "new AggregateError([])"), NOTHING_LISTENS],
]);
itFails("ERR_TLS", reachByName, [
  ["TLS in another realm", foreign({ code: "CERT_NOT_YET_VALID" }), "^its certificate is not valid yet"],
]);
itFails("ERR_UNKNOWN", reachByName, [["a defect in another realm", foreign({}), '^an unexpected error, "it fails"']]);

test("outages of one kind are one cause, whatever address was tried", async () => {
  const errors = [at("10.1.2.3"), at("10.1.2.4")].map((place) => systemError("ECONNREFUSED", "connect", place));
  const failures = [];
  for (const error of errors) failures.push(await failureIn(await reachByName(error)));
  expect(new Set(failures.map(({ error }) => errorFinding(error).causeKey)).size).toBe(1);
});

const refusing = (status: number) => sending(`HTTP/1.1 ${status} Refused\r\nProxy-Authenticate: Basic\r\n\r\n`);
const OFFERS = ["NTLM", "Negotiate", "Basic"].map((scheme) => `Proxy-Authenticate: ${scheme}\r\n`);
const NTLM_ALONE = sending(`HTTP/1.1 407 Refused\r\n${OFFERS.slice(0, 2).join("")}\r\n`);
const NTLM_AND_BASIC = sending(`HTTP/1.1 407 Refused\r\n${OFFERS.join("")}\r\n`);
const LONG_HEADERS = `HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(1_048_576)}\r\n\r\n`;

describe.each(["https", "http"])("a proxy that fails is told from an %s service", (protocol) => {
  async function reachProxy(start: () => Promise<string>): Promise<Situation> {
    const address = proxyAddress(await start(), PROXY_PASSWORD);
    const environment = { HTTPS_PROXY: address, HTTP_PROXY: address };
    return { baseUrl: `${protocol}://127.0.0.1:1`, environment, begin: `the proxy ${hostOf(address)} ` };
  }

  itFails("ERR_CONNECTION", reachProxy, [
    [
      "nothing listens there",
      startNothing,
      `check the port of ${protocol.toUpperCase()}_PROXY.*\\(ECONNREFUSED, 127\\.0\\.0\\.1:\\d+\\)$`,
    ],
    ["its host is unknown", async () => "http://proxy.invalid:3128", "its host name"],
  ]);
  itFails("ERR_PROXY", reachProxy, [
    ["it offers only NTLM", NTLM_ALONE, /accepts only ntlm, negotiate, .*; use another proxy.*NO_PROXY \(status 407\)/],
    ["it offers NTLM and Basic", NTLM_AND_BASIC, `check those in ${protocol.toUpperCase()}_PROXY`],
  ]);
  // A proxy that forwards plain http responds in the place of the service.
  if (protocol === "http") return;
  itFails("ERR_PROXY", reachProxy, [
    ["status 401", refusing(401), "HTTPS_PROXY.*\\(status 401\\)"],
    ["status 403", refusing(403), "NO_PROXY.*\\(status 403\\)"],
    // As Squid, Privoxy and proxy.py refuse a host.
    ...[307, 404, 418].map(
      (status) =>
        [
          `status ${status}`,
          refusing(status),
          `does not open a tunnel; check the host of baseUrl, and that HTTPS_PROXY .*\\(status ${status}\\)`,
        ] as const,
    ),
    ["status 407", refusing(407), "Basic authentication; check those in HTTPS_PROXY.*\\(status 407\\)"],
  ]);
  itFails("ERR_INVALID_RESPONSE", reachProxy, [
    ["another protocol", sending("SSH-2.0-example\r\n"), "is not HTTP"],
    ["what it was sent itself", sending(`${BASIC}\r\n`), "is not HTTP"],
  ]);
  itFails("ERR_CONNECTION", reachProxy, [
    ["status 500", refusing(500), "can't reach the service.*\\(status 500\\)"],
    ["status 504", refusing(504), "can't reach the service.*\\(status 504\\)"],
    [
      "a connection that is closed",
      () => startServer((socket) => socket.destroy()),
      /: the connection was cut before any response; try again, and check the port and the scheme of HTTPS_PROXY \(\w+\)$/,
    ],
    [
      "a connection that is reset",
      () => startServer((socket) => socket.resetAndDestroy()),
      /: the connection was cut; try again, and check HTTPS_PROXY \(ECONNRESET\)$/,
    ],
  ]);
  itFails("ERR_INVALID_RESPONSE", reachProxy, [["long headers", sending(LONG_HEADERS), "too long; check HTTPS_PROXY"]]);
});

// Px and cntlm log in to another proxy with a password of their own. Px sends 401 without a challenge if it has expired.
const TO_PX = sending("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
itFails(
  "ERR_PROXY",
  async (start: () => Promise<string>) => {
    const address = await start();
    return {
      baseUrl: "https://127.0.0.1:1",
      environment: { https_proxy: address },
      begin: `the proxy ${hostOf(address)} requires a user and a password; set them in https_proxy or, if it logs in to another proxy itself, correct them there, or list the service's host in NO_PROXY (status 40`,
    };
  },
  [
    ["Px, without a user in its address", TO_PX, "\\(status 401\\)$"],
    ["cntlm, without a user in its address", refusing(407), "\\(status 407\\)$"],
  ],
);

/** A service behind a proxy, whose response may be that of the proxy. */
function behindProxy(protocol: "https" | "http", { noProxy = "", isNamed = false, isTrusted = true } = {}) {
  return async (response: CannedResponse | "reset"): Promise<Situation> => {
    const { origin } = await startProxyStandIn();
    const service = await openService(protocol === "https" ? { tls: TLS } : {});
    service.respondWith(() => response);
    const environment = { HTTP_PROXY: origin, HTTPS_PROXY: origin, NO_PROXY: noProxy };
    const end = isNamed ? ` The proxy ${hostOf(origin)} may have answered instead of the service.` : "";
    const caCertificate = isTrusted ? CA_FILE : undefined;
    return { baseUrl: service.baseUrl, options: { caCertificate }, environment, end };
  };
}

const forward = behindProxy("http");
const forwardNamed = behindProxy("http", { isNamed: true });
const NOT_FOUND = { status: 404, body: JSON.stringify({ error: 404, ...GONE }) };

itFails("ERR_REFUSED", forwardNamed, [["status 403 through a proxy", FORBIDDEN, ""]]);
itFails("ERR_AUTHENTICATION", async (sent: CannedResponse) => ({ ...(await forwardNamed(sent)), facts: {} }), [
  ["a password that Tinyproxy refuses", asksFor('Basic realm="Tinyproxy"'), "basic instead of Digest"],
]);
itFails("ERR_UNAVAILABLE", forwardNamed, [["status 502 through a proxy", { status: 502 }, ""]]);
itFails("ERR_INVALID_RESPONSE", forwardNamed, [
  ["a page through a proxy", { status: 200, body: "<h1>" }, "a web page"],
]);
itFails("ERR_PROJECT_NOT_FOUND", forward, [["the service's code through a proxy", NOT_FOUND, ""]]);
itFails("ERR_WRONG_KEY", forward, [["a challenge through a proxy", asksFor('Digest realm="a", nonce="b"'), ""]]);
itFails("ERR_CONNECTION", forward, [
  ["no response through a proxy", "reset", "was cut.*, through the proxy 127\\.0\\.0\\.1:\\d+\\)$"],
]);
itFails("ERR_INVALID_RESPONSE", forward, [["more than 1 MiB through a proxy", TOO_LONG, "longer than 1 MiB"]]);
itFails("ERR_REFUSED", behindProxy("http", { noProxy: "127.0.0.1" }), [["status 403 past a proxy", FORBIDDEN, ""]]);
itFails(
  "ERR_PROXY",
  async (start: () => Promise<string>) => {
    const address = proxyAddress(await start(), PROXY_PASSWORD);
    return {
      baseUrl: "http://127.0.0.1:1",
      environment: { http_proxy: address },
      begin: `the proxy ${hostOf(address)} `,
    };
  },
  [
    [
      "a proxy that forwards and wants another password",
      refusing(407),
      "check those in http_proxy,.*\\(status 407\\)$",
    ],
  ],
);
itFails(
  "ERR_REFUSED",
  async (response: CannedResponse) => {
    const environment = { http_proxy: await startNothing(), no_proxy: "", NO_PROXY: "127.0.0.1" };
    return { ...(await respond(response)), environment };
  },
  [["status 403 past a proxy, if no_proxy is empty and NO_PROXY is not", FORBIDDEN, ""]],
);
itFails("ERR_REFUSED", behindProxy("https"), [["status 403 through a tunnel", FORBIDDEN, ""]]);
itFails("ERR_INVALID_RESPONSE", behindProxy("https"), [["more than 1 MiB through a tunnel", TOO_LONG, "than 1 MiB"]]);
itFails("ERR_TLS", behindProxy("https", { isTrusted: false }), [
  ["an untrusted service through a tunnel", FORBIDDEN, "^its certificate comes from an authority"],
]);

async function reachTlsProxy(): Promise<Situation> {
  const address = (await startProxyStandIn("https")).origin.replace("127.0.0.1", "localhost");
  return {
    baseUrl: "https://127.0.0.1:1",
    environment: { HTTPS_PROXY: address },
    begin: `the proxy ${hostOf(address)} `,
  };
}

itFails("ERR_TLS", reachTlsProxy, [["an untrusted proxy", undefined, "can't be used: its certificate comes from"]]);

it.each<Fault>([{ status: 403 }, { delaySeconds: 60 }, { cutAfterBytes: 9 }])(
  "%o has a stack with the caller",
  async (fault) => {
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
  },
);

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
