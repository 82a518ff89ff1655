import { errors } from "undici";
import { UnusableChallenge } from "../digest/digest-challenge.ts";
import { UnavailableHash } from "../digest/request-signer.ts";
import { type Advice, AgentLogConfigError, type AgentLogConfigErrorCode } from "../model/errors.ts";
import { printable } from "../model/printable.ts";
import { ProxyError } from "./environment-proxy.ts";
import { type Certificate, certificates } from "./open-connector.ts";

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
  const facts: Facts = {
    reason,
    certificate: certificates.get(error),
    proxy: `the proxy ${proxy?.host ?? ""}`.trimEnd(),
    setting: proxy?.variable ?? "baseUrl",
    notGiven: hasCaCertificate && proxy === undefined ? " and is not the one in caCertificate" : "",
  };
  const [code, says] = proxy === undefined ? failureOf(error, facts) : failureOfProxy(error, proxy.status, facts);
  return new AgentLogConfigError(code, says, { subject, cause: cause instanceof Error ? cause : undefined });
}

/** What a sentence may say of a failure. */
interface Facts {
  readonly reason: string;
  readonly certificate: Certificate | undefined;
  /** How a sentence names the proxy. */
  readonly proxy: string;
  /** Where the address is set that failed: `baseUrl`, or the variable of the proxy. */
  readonly setting: string;
  /** Ends what is said of a certificate that is not trusted. */
  readonly notGiven: string;
}

/** What a message says, made of the facts. */
type Sentence = (facts: Facts) => string;
type Explanation = readonly [code: AgentLogConfigErrorCode, sentence: Sentence];

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

/** Returns the code, and the sentence with the code of Node.js, OpenSSL or undici. */
function failureOf(error: Error, facts: Facts): Advice {
  const [code, sentence] = BY_ERROR.get(codeOf(error)) ?? explanationOfOthers(error, facts);
  return [code, `${sentence(facts)} (${codeOf(error) || facts.reason})`];
}

function explanationOfOthers(error: Error, { certificate }: Facts): Explanation {
  if (certificate !== undefined) return REFUSED_CERTIFICATE;
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

function failureOfProxy(error: Error, status: number | undefined, facts: Facts): Advice {
  if (status === undefined) {
    const [code, says] = failureOf(error, facts);
    return [code, `${facts.proxy} can't be used: ${says}`];
  }
  const [code, sentence] = BY_PROXY_STATUS.get(status) ?? (status >= 500 ? NO_SERVICE : NO_TUNNEL);
  return [code, `${sentence(facts)} (status ${status})`];
}

const CUT_AT_ONCE: Explanation = [
  "ERR_CONNECTION",
  ({ setting }) =>
    `the connection was cut before any response; try again, check the port and the scheme of ${setting} and any proxy, and check that the server requires no certificate from its clients`,
];
const CUT: Explanation = [
  "ERR_CONNECTION",
  ({ setting }) => `the connection was cut; try again, and check ${setting}, its scheme and any proxy`,
];
const NOT_HTTP: Explanation = [
  "ERR_CONNECTION",
  ({ setting }) => `its response is not HTTP; check the port and the scheme of ${setting}`,
];
const FAILED: Explanation = [
  "ERR_CONNECTION",
  ({ setting }) => `the connection failed; check ${setting}, its scheme and any proxy`,
];
const DEFECT: Explanation = ["ERR_UNKNOWN", () => "an unexpected error; report it as a defect of this package"];
const FAILED_HANDSHAKE: Explanation = [
  "ERR_TLS",
  ({ setting }) => `the TLS handshake failed; check ${setting}, its scheme and any proxy`,
];
const REFUSED_CERTIFICATE: Explanation = [
  "ERR_TLS",
  ({ reason }) => `its certificate is refused, because OpenSSL says "${reason}"; replace the certificate there`,
];
const NO_SERVICE: Explanation = [
  "ERR_CONNECTION",
  ({ proxy }) => `${proxy} can't reach the service; check the host and port of baseUrl, and the network of the proxy`,
];
const NO_TUNNEL: Explanation = [
  "ERR_PROXY",
  ({ proxy, setting }) => `${proxy} does not open a tunnel; check that ${setting} is the address of a proxy`,
];

const noCommonHandshake: Sentence = () =>
  "it requires a certificate from its clients, and this client has none, or both have no cipher in common; make the certificate optional, and enable the usual ciphers";
const noDescriptors: Sentence = () =>
  "no file descriptor is left; raise the limit (ulimit -n), or read fewer projects at once";
const noRoute: Sentence = ({ setting }) => `there is no route to it; check ${setting}, the network and firewalls`;
const noTls: Sentence = ({ setting }) => `the port does not speak TLS; check the port and the scheme of ${setting}`;
const silent: Sentence = ({ setting }) => `it does not respond; check ${setting}, the network and firewalls`;
const untrusted: Sentence = ({ certificate, notGiven }) => {
  const issuer = inBrackets(certificate?.issuer);
  return `its certificate comes from an authority that is not trusted here${issuer}${notGiven}; set caCertificate to that authority's certificate`;
};

function inBrackets(text: string | undefined, before = ""): string {
  return text ? ` (${before}${text})` : "";
}

/** By the code of Node.js, OpenSSL or undici. */
const BY_ERROR: ReadonlyMap<string, Explanation> = new Map([
  ...explain("ERR_TLS", {
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: (facts) =>
      `${untrusted(facts)}, or let the service send the intermediate certificates too`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
    SELF_SIGNED_CERT_IN_CHAIN: untrusted,
    UNABLE_TO_GET_ISSUER_CERT: () =>
      "its certificate comes from an intermediate authority whose root is not trusted here; set caCertificate to the root's certificate",
    DEPTH_ZERO_SELF_SIGNED_CERT: ({ notGiven }) =>
      `its certificate is self-signed${notGiven}; set caCertificate to that certificate`,
    CERT_SIGNATURE_FAILURE: () =>
      "its certificate names an authority that did not sign it; set caCertificate to that authority's current certificate",
    CERT_HAS_EXPIRED: ({ certificate }) =>
      `its certificate${inBrackets(certificate?.validTo, "valid until ")} or that of its authority has expired; renew it on the service`,
    CERT_NOT_YET_VALID: () => "its certificate is not valid yet; check the clocks of both machines",
    ERR_TLS_CERT_ALTNAME_INVALID: ({ certificate, setting }) =>
      `its certificate is for another host name${inBrackets(certificate?.names)}; check the host of ${setting}`,
    ERR_SSL_WRONG_VERSION_NUMBER: noTls,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
    ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: () => "it supports only old versions of TLS; enable TLS 1.2 or 1.3 there",
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: noCommonHandshake,
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": noCommonHandshake,
  }),
  ...explain("ERR_CONNECTION", {
    EMFILE: noDescriptors,
    ENFILE: noDescriptors,
    ENOTFOUND: ({ setting }) => `its host name is unknown; check the host of ${setting}`,
    EAI_AGAIN: () => "its host name can't be looked up now; check the network",
    ECONNREFUSED: ({ setting }) =>
      `nothing listens there; check the port of ${setting}, and whether the server is running`,
    EHOSTUNREACH: noRoute,
    ENETUNREACH: noRoute,
    UND_ERR_CONNECT_TIMEOUT: silent,
    UND_ERR_HEADERS_TIMEOUT: silent,
    UND_ERR_BODY_TIMEOUT: ({ setting }) =>
      `its response stopped in the middle; check ${setting}, the network and firewalls`,
    ECONNRESET: CUT[1],
    // undici asserts that a status is 100 at least.
    ERR_ASSERTION: NOT_HTTP[1],
  }),
  ...explain("ERR_INVALID_RESPONSE", {
    UND_ERR_RES_EXCEEDED_MAX_SIZE: ({ setting }) => `its response is longer than 1 MiB; check ${setting}`,
    UND_ERR_HEADERS_OVERFLOW: ({ setting }) => `the headers of its response are too long; check ${setting}`,
  }),
]);

const otherPassword: Sentence = ({ proxy, setting }) =>
  `${proxy} requires another user or password with Basic authentication; check those in ${setting}, or list the service's host in NO_PROXY`;

/** By the status with which a proxy refuses a tunnel. */
const BY_PROXY_STATUS: ReadonlyMap<number, Explanation> = new Map([
  // Some proxies respond to wrong credentials with it.
  [401, ["ERR_PROXY", otherPassword]],
  [
    403,
    [
      "ERR_PROXY",
      ({ proxy }) =>
        `${proxy} does not allow connections to the service; allow them there, or list the service's host in NO_PROXY`,
    ],
  ],
  [407, ["ERR_PROXY", otherPassword]],
]);

function explain(
  code: AgentLogConfigErrorCode,
  sentences: Readonly<Record<string, Sentence>>,
): (readonly [string, Explanation])[] {
  return Object.entries(sentences).map(([name, sentence]) => [name, [code, sentence]]);
}
