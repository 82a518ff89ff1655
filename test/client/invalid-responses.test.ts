import { brotliCompressSync, gzipSync } from "node:zlib";
import type { AgentLogConfigErrorCode } from "../../sdk/client/index.ts";
import type { CannedResponse } from "../../sdk/testing/index.ts";
import { itFails, json, respond } from "./it-fails.ts";

// A response that is not the service's, and a refusal in the place of settings.

const respondInEnvelope = async (body: object) => ({ ...(await respond(json(body))), envelope: true, facts: {} });
const GONE = { errorCode: "GROUP_NOT_FOUND" };

/** What a body with status 200 is, whether or not an envelope was asked for. */
const IN_BOTH: readonly (readonly [body: object, says: string, status?: number])[] = [
  [{ error: 404, ...GONE }, "no such project", 404],
  [{ error: { code: 404 }, ...GONE }, "no such project"],
  [{ logPath: "/l", error: 404, ...GONE }, "no such project", 404],
  [{ message: "Service unavailable", urls: [] }, "but message, urls; check baseUrl"],
  [{ logLevel: "info", "a\u001b[2J": 1 }, "but logLevel, a\uFFFD\\[2J; check"],
  [{ code: 200, message: "login required", data: {} }, "but code, message, data;"],
  [{ status: 200, code: 404 }, "but status, code;"],
  [{ status: 100, content: {} }, "but status, content;"],
  [{ status: 2000, content: {} }, "but status, content;"],
  [{ error: null, logPath: "/l" }, "is an error in spite of its status"],
  [{ errorCode: "TEAPOT", message: "No." }, "is an error in spite of its status.*\\(status 200, TEAPOT\\)$"],
];

for (const [body, says, status = 200] of IN_BOTH) {
  const code = says === "no such project" ? "ERR_PROJECT_NOT_FOUND" : "ERR_INVALID_RESPONSE";
  const arrange = async (envelope: boolean) => ({ ...(await respond(json(body))), envelope, facts: { status } });
  itFails(code, arrange, [
    [`${JSON.stringify(body)} with an envelope`, true, says],
    [`${JSON.stringify(body)} without one`, false, says],
  ]);
}

/** Refusals in an envelope; without one they are no settings. None of them blames the key. */
const IN_ENVELOPE: readonly (readonly [body: object, code: AgentLogConfigErrorCode, status: number, says?: string])[] =
  [
    [{ status: 404, content: { error: 404, ...GONE } }, "ERR_PROJECT_NOT_FOUND", 404],
    [{ code: "404", payload: { ...GONE, badRequestDetail: {} } }, "ERR_PROJECT_NOT_FOUND", 404],
    [{ status: 200, content: { error: 404, ...GONE } }, "ERR_PROJECT_NOT_FOUND", 404],
    [{ status: 503, content: { logPath: "/l" } }, "ERR_UNAVAILABLE", 503],
    [{ status: 401, content: { error: 401 } }, "ERR_REFUSED", 401, "^the service refuses the read; read its log"],
    [{ status: 403, content: {} }, "ERR_REFUSED", 403, "^the service does not allow this key .*, and check its access"],
    [
      { status: 404, content: "" },
      "ERR_NOT_FOUND",
      404,
      "^the service has nothing at this address; check projectId and",
    ],
  ];

for (const [body, code, status, says = ""] of IN_ENVELOPE) {
  const arrange = async () => ({ ...(await respondInEnvelope(body)), facts: { status } });
  itFails(code, arrange, [[`in an envelope ${JSON.stringify(body)}`, undefined, says]]);
  itFails("ERR_INVALID_RESPONSE", respond, [[JSON.stringify(body), json(body), "none of the fields of log settings"]]);
}

itFails("ERR_INVALID_RESPONSE", respondInEnvelope, [
  ["a redirect in an envelope", { status: 302, content: {} }, "the response has status 302 instead of 200"],
  ["a login in an envelope", { status: 200, content: { message: "login required" } }, "but message;"],
  ["a code beside settings", { status: 200, content: { errorCode: "TEAPOT", logPath: "/l" } }, "spite of its.*TEAPOT"],
]);

const GZIP = { "Content-Encoding": "gzip" };
const TOO_LONG = `{"logPath":"${"l".repeat(1_048_576)}"}`;
itFails("ERR_INVALID_RESPONSE", (sent: Partial<CannedResponse>) => respond({ status: 200, ...sent }), [
  [
    "a page with a title",
    { headers: { "Content-Type": "text/html" }, body: "\n<html><title>Down until 18:00.</title>" },
    /^the response is a web page instead of JSON \(text\/html\); check baseUrl and any proxy \(Down until 18:00\)$/,
  ],
  ["a text, which may be settings", { body: "password=hunter2" }, /check baseUrl and any proxy$/],
  ["nothing", { body: "" }, /is empty \(no content type\)/],
  ["JSON that is cut off", { body: '{"logPath":"/var' }, "is not JSON, or was cut off"],
  ["a status of another kind", { body: '{"status":{"toString":1},"content":{},"logPath":5}' }, "must be a string"],
  ["a list", { body: "[]" }, /^the response can't be used, because the body must be an object; check baseUrl/],
  ["a number for a path", { body: '{"password":"body-password","logPath":5}' }, "logPath must be a string"],
  ...["0x10", "0b11", "0o7", "Infinity", "-Infinity", "1e999", "1_000", "e", "1,5"].map(
    (text) =>
      [`${text} for a number`, json({ logRotate: { numTotal: text } }), "logRotate.numTotal must be a number"] as const,
  ),
  ...[
    ["https://sso.example.com/login?token=body-token", "https://sso\\.example\\.com"],
    ["/login", "a path of the same server"],
    ["login?to=a:b", "a path of the same server"],
    // WHATWG URL: a backslash is a slash, and a tab is nothing.
    ["//sso.example.com", "http://sso\\.example\\.com"],
    ["/\t\\sso.example.com/", "http://sso\\.example\\.com"],
    ["", "another address"],
    ["http://", "another address"],
    ["javascript:alert(1)", "another address"],
  ].map(
    ([Location = "", to]) =>
      [
        `a redirect to ${Location}`,
        { status: 302, headers: { Location } },
        `redirects to ${to} \\(status 302\\)`,
      ] as const,
  ),
  ["a list of overrides", { body: '{"configOverrides":[]}' }, "configOverrides must be an object"],
  [
    "a coding that nobody has asked for and that is not read",
    { headers: { "Content-Encoding": "br" }, body: brotliCompressSync("{}") },
    "is not JSON",
  ],
  ["a coding that it does not have", { headers: GZIP, body: '{"logPath":5}' }, "logPath must be a string"],
  ["more than 1 MiB in gzip", { headers: GZIP, body: gzipSync(TOO_LONG) }, "is not JSON, or was cut off"],
  ["another charset than UTF-8", { body: Buffer.from('{"logPath":"/m\xfcnchen.log"}', "latin1") }, "is not UTF-8"],
]);

// Nothing is known of it.
itFails("ERR_INVALID_RESPONSE", async (sent: CannedResponse) => ({ ...(await respond(sent)), facts: {} }), [
  ["more than 1 MiB", { status: 200, body: TOO_LONG }, "longer than 1 MiB"],
  ["long headers", { status: 200, headers: { "X-Long": "x".repeat(1_048_576) } }, "^the headers of its .*; check"],
]);
