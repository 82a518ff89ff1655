import { errors } from "undici";
import { expect, it } from "vitest";
import { UnavailableHash, UnusableChallenge } from "../../sdk/digest/digest-scheme.ts";
import { connectionError } from "../../sdk/transport/connection-error.ts";
import { ProxyError } from "../../sdk/transport/proxy-connector.ts";
import { PAGES } from "../plugin/examples-in.ts";

const quotes = Array.from(PAGES.get("docs/on-call.md")?.matchAll(/`([^`]{8,})`/g) ?? [], ([, quote = ""]) => quote);

/** Codes of Node.js, OpenSSL and undici. */
const CODES = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR",
  "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
  "ERR_SSL_TLSV1_UNRECOGNIZED_NAME",
  "EMFILE",
  "ENOTFOUND",
  "ECONNREFUSED",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ECONNRESET",
  "UND_ERR_RES_EXCEEDED_MAX_SIZE",
  "UND_ERR_HEADERS_OVERFLOW",
  "ERR_ASSERTION",
];
const PROXY = {
  url: new URL("http://proxy.example:3128"),
  host: "proxy.example:3128",
  variable: "HTTPS_PROXY",
  isForwarding: false,
};

it.each([
  ...CODES.map((code) => Object.assign(new Error("What failed."), { code })),
  new UnusableChallenge("The server's challenge is malformed."),
  new UnavailableHash("MD5", undefined),
  ...["Invalid EOF state", "Expected HTTP/", "Invalid header token"].map((text) => new errors.HTTPParserError(text)),
  ...["bad response", "bad upgrade", "other side closed"].map((text) => new errors.SocketError(text)),
  ...[403, 404, 407, 502].map((status) => new ProxyError(PROXY, { status })),
  new Error("A defect."),
])("the page for the one on call says what to do after %o", (cause) => {
  const { message } = connectionError(cause, { subject: "Can't read", options: { baseUrl: "" }, proxy: undefined });
  // The link at the end of the message has the code.
  expect(quotes.some((quote) => quote.split(" … ").every((part) => message.includes(part)))).toBe(true);
});
