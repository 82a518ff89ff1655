import { errors } from "undici";
import { UnusableChallenge } from "../digest/digest-challenge.ts";
import { UnavailableHash } from "../digest/request-signer.ts";
import { type Advice, AgentLogConfigError, type AgentLogConfigErrorCode } from "../model/errors.ts";
import { printable } from "../model/printable.ts";
import { ProxyError } from "./environment-proxy.ts";
import { certificates } from "./open-connector.ts";

/**
 * Says why a request got no response and what to do about it.
 * @param subject what failed
 * @param hasCaCertificate whether a `caCertificate` is set
 */
export function connectionError(cause: unknown, subject: string, hasCaCertificate: boolean): AgentLogConfigError {
  const error = root(cause);
  // undici's parser keeps in it the text that it could not read, which may be settings.
  if ("data" in error) Object.assign(error, { data: undefined });
  const reason = printable(error.message, 300).replace(/\.$/, "");
  if (error instanceof UnusableChallenge) {
    const wrong = reason.replace(/^The /, "the ");
    const says = `${wrong}; check that baseUrl is the service, not a gateway with its own login`;
    // The message has the server's text in a printable form, and the cause as it is.
    return new AgentLogConfigError("ERR_AUTHENTICATION", says, { subject });
  }
  if (error instanceof UnavailableHash) {
    const says = `the Digest of the service needs ${error.algorithm}, which this Node.js does not allow; run it without FIPS mode`;
    return new AgentLogConfigError("ERR_RUNTIME", says, { subject, cause: error });
  }
  const proxy = proxyOf(cause, error);
  const [code, sentence] = proxy === undefined ? adviceOn(error) : adviceOnProxy(error, proxy.status);
  const { names, issuer, validTo } = certificates.get(error) ?? {};
  const facts: Readonly<Record<string, string | undefined>> = {
    reason,
    code: codeOf(error) || reason,
    proxy: `the proxy ${proxy?.host}`.trimEnd(),
    setting: proxy?.variable ?? "baseUrl",
    names: names && ` (${names})`,
    issuer: issuer && ` (${issuer})`,
    until: validTo && ` (valid until ${validTo})`,
    notGiven: hasCaCertificate && proxy === undefined ? " and is not the one in caCertificate" : "",
  };
  const says = sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? "");
  return new AgentLogConfigError(code, says, { subject, cause: cause instanceof Error ? cause : undefined });
}

/** The error below wrappers, or the first of several addresses that were tried. */
function root(cause: unknown): Error {
  if (cause instanceof ProxyError && cause.cause instanceof Error) return root(cause.cause);
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return root(cause.errors[0]);
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** The proxy that failed in the place of the service. */
function proxyOf(cause: unknown, { message }: Error): Pick<ProxyError, "host" | "variable" | "status"> | undefined {
  if (cause instanceof ProxyError) return cause;
  // undici itself refuses the response of a proxy that forwards plain http.
  const isRefused = message.startsWith("Proxy Authentication Required");
  return isRefused ? { host: "", variable: "HTTP_PROXY", status: 407 } : undefined;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Returns the code, and a sentence that names facts in braces. */
function adviceOn(error: Error): Advice {
  const [code, sentence] = ADVICE.get(codeOf(error)) ?? adviceOnOthers(error);
  return [code, `${sentence} ({code})`];
}

function adviceOnOthers(error: Error): Advice {
  if (certificates.has(error)) return REFUSED_CERTIFICATE;
  if (/^ERR_(?:SSL|TLS)_/.test(codeOf(error))) return FAILED_HANDSHAKE;
  if (error instanceof errors.HTTPParserError) return NOT_HTTP;
  if (!(error instanceof errors.SocketError)) return isOfConnection(error) ? FAILED : DEFECT;
  // undici does not see the alert with which TLS 1.3 asks for a client's certificate.
  return error.socket?.bytesRead === 0 ? CUT_AT_ONCE : CUT;
}

/** undici and the system mark their own errors. Any other one is a defect, which fails again and again, so that it is no outage. */
function isOfConnection(error: Error): boolean {
  const isOfUndici = error instanceof errors.UndiciError && !(error instanceof errors.InvalidArgumentError);
  return isOfUndici || "syscall" in error;
}

function adviceOnProxy(error: Error, status: number | undefined): Advice {
  const [code, sentence] = status === undefined ? adviceOn(error) : adviceOnRefusal(status);
  return [code, status === undefined ? `{proxy} can't be used: ${sentence}` : `${sentence} (status ${status})`];
}

function adviceOnRefusal(status: number): Advice {
  return ADVICE.get(`proxy ${status}`) ?? (status >= 500 ? NO_SERVICE : NO_TUNNEL);
}

const CUT_AT_ONCE: Advice = [
  "ERR_CONNECTION",
  "the connection was cut before any response; try again, check the port and the scheme of {setting} and any proxy, and check that the server requires no certificate from its clients",
];
const CUT: Advice = [
  "ERR_CONNECTION",
  "the connection was cut; try again, and check {setting}, its scheme and any proxy",
];
const NOT_HTTP: Advice = ["ERR_CONNECTION", "its response is not HTTP; check the port and the scheme of {setting}"];
const FAILED: Advice = ["ERR_CONNECTION", "the connection failed; check {setting}, its scheme and any proxy"];
const DEFECT: Advice = ["ERR_UNKNOWN", "{reason}; report it as a defect of this package"];
const FAILED_HANDSHAKE: Advice = ["ERR_TLS", "the TLS handshake failed; check {setting}, its scheme and any proxy"];
const REFUSED_CERTIFICATE: Advice = [
  "ERR_TLS",
  'its certificate is refused, because OpenSSL says "{reason}"; replace the certificate there',
];
const NO_SERVICE: Advice = [
  "ERR_CONNECTION",
  "{proxy} can't reach the service; check the host and port of baseUrl, and the network of the proxy",
];
const NO_TUNNEL: Advice = [
  "ERR_PROXY",
  "{proxy} does not open a tunnel; check that {setting} is the address of a proxy",
];

const HANDSHAKE =
  "it requires a certificate from its clients, and this client has none, or both have no cipher in common; make the certificate optional, and enable the usual ciphers";
const NO_DESCRIPTORS = "no file descriptor is left; raise the limit (ulimit -n), or read fewer projects at once";
const NO_ROUTE = "there is no route to it; check {setting}, the network and firewalls";
const NO_TLS = "the port does not speak TLS; check the port and the scheme of {setting}";
const OTHER_PASSWORD =
  "{proxy} requires another user or password with Basic authentication; check those in {setting}, or list the service's host in NO_PROXY";
const SILENT = "it does not respond; check {setting}, the network and firewalls";
const UNTRUSTED =
  "its certificate comes from an authority that is not trusted here{issuer}{notGiven}; set caCertificate to that authority's certificate";

/** By the code of Node.js, OpenSSL or undici, or the status of a proxy. */
const ADVICE: ReadonlyMap<string, Advice> = new Map([
  ...adviceWith("ERR_TLS", {
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${UNTRUSTED}, or let the service send the intermediate certificates too`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
    SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
    UNABLE_TO_GET_ISSUER_CERT:
      "its certificate comes from an intermediate authority whose root is not trusted here; set caCertificate to the root's certificate",
    DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed{notGiven}; set caCertificate to that certificate",
    CERT_SIGNATURE_FAILURE:
      "its certificate names an authority that did not sign it; set caCertificate to that authority's current certificate",
    CERT_HAS_EXPIRED: "its certificate{until} or that of its authority has expired; renew it on the service",
    CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clocks of both machines",
    ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name{names}; check the host of {setting}",
    ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
    ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "it supports only old versions of TLS; enable TLS 1.2 or 1.3 there",
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: HANDSHAKE,
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": HANDSHAKE,
  }),
  ...adviceWith("ERR_CONNECTION", {
    EMFILE: NO_DESCRIPTORS,
    ENFILE: NO_DESCRIPTORS,
    ENOTFOUND: "its host name is unknown; check the host of {setting}",
    EAI_AGAIN: "its host name can't be looked up now; check the network",
    ECONNREFUSED: "nothing listens there; check the port of {setting}, and whether the server is running",
    EHOSTUNREACH: NO_ROUTE,
    ENETUNREACH: NO_ROUTE,
    UND_ERR_CONNECT_TIMEOUT: SILENT,
    UND_ERR_HEADERS_TIMEOUT: SILENT,
    UND_ERR_BODY_TIMEOUT: "its response stopped in the middle; check {setting}, the network and firewalls",
    ECONNRESET: CUT[1],
  }),
  ...adviceWith("ERR_INVALID_RESPONSE", {
    UND_ERR_RES_EXCEEDED_MAX_SIZE: "its response is longer than 1 MiB; check {setting}",
    UND_ERR_HEADERS_OVERFLOW: "the headers of its response are too long; check {setting}",
  }),
  ...adviceWith("ERR_PROXY", {
    // Some proxies respond to wrong credentials with it.
    "proxy 401": OTHER_PASSWORD,
    "proxy 403":
      "{proxy} does not allow connections to the service; allow them there, or list the service's host in NO_PROXY",
    "proxy 407": OTHER_PASSWORD,
  }),
]);

function adviceWith(code: AgentLogConfigErrorCode, sentences: Readonly<Record<string, string>>) {
  return Object.entries(sentences).map(([name, sentence]): [string, Advice] => [name, [code, sentence]]);
}
