import { errors } from "undici";
import { UnavailableHash, UnusableChallenge } from "../digest/digest-scheme.ts";
import { AgentLogConfigError, type Diagnosis } from "../model/errors.ts";
import { printable } from "../model/printable.ts";
import { certificates } from "./connection.ts";
import { type EnvironmentProxy, ProxyError } from "./environment-proxy.ts";

/** A request that got no response. */
interface FailedRequest {
  /** What failed. */
  readonly subject: string;
  readonly options: { readonly caCertificate?: string | undefined };
  /** The proxy that the request goes through. */
  readonly proxy: EnvironmentProxy | undefined;
}

/** Says why a request got no response and what to do about it. */
export function connectionError(cause: unknown, { subject, options, proxy }: FailedRequest): AgentLogConfigError {
  const error = root(cause);
  const reason = printable(error.message.replace(/^The /, "the "), 300).replace(/\.$/, "");
  if (error instanceof UnusableChallenge) {
    const says = `${reason}; check that baseUrl is the service, not a gateway with its own login`;
    // The error is no cause, because a challenge is the server's text as it is.
    return new AgentLogConfigError("ERR_AUTHENTICATION", says, { subject });
  }
  if (error instanceof UnavailableHash) {
    const says = `the Digest of the service needs ${error.algorithm}, which this Node.js does not allow; run it without FIPS mode`;
    return new AgentLogConfigError("ERR_RUNTIME", says, { subject, cause: error });
  }
  // undici's parser keeps in it the text that it could not read, which may be settings.
  if ("data" in error) Object.assign(error, { data: undefined });
  const proxyError = cause instanceof ProxyError ? cause : undefined;
  const { status, host, schemes = [], variable: setting = "baseUrl" } = proxyError ?? {};
  // Only the response of a proxy to CONNECT has a time of its own.
  const isRefusal = status !== undefined || codeOf(error) === "UND_ERR_HEADERS_TIMEOUT";
  const [code, advice] = isRefusal ? diagnoseProxy(status, schemes) : diagnose(error);
  const { issuer, names, validTo } = certificates.get(error) ?? {};
  const isOtherCertificate = options.caCertificate !== undefined && proxyError === undefined;
  const places: Readonly<Record<string, string>> = {
    reason,
    setting,
    schemes: printable(schemes.join(", ")),
    // These are empty if nothing is known of a certificate.
    issuer: inBrackets(issuer),
    names: inBrackets(names),
    validTo: inBrackets(validTo && `valid until ${validTo}`),
    notGiven: isOtherCertificate ? " and is not the one in caCertificate" : "",
  };
  // In front of the proxy is no other one, and the certificates of clients are a matter of the service.
  const ownAdvice = proxyError === undefined ? advice : advice.replace(/(?:, its scheme)? and any proxy\b.*/, "");
  const sentence = ownAdvice.replace(/\{(\w+)\}/g, (_, name: string) => places[name] ?? "");
  const unusable = isRefusal ? "" : "can't be used: ";
  const begin = proxyError === undefined ? "" : `the proxy ${host} ${unusable}`;
  const ownWords = codeOf(error) || (sentence.includes(reason) ? "" : reason);
  const route = proxyError === undefined ? routeOf(proxy) : [];
  const evidence = [status === undefined ? ownWords : `status ${status}`, ...triedAddress(error), ...route];
  return new AgentLogConfigError(code, `${begin}${sentence}`, {
    subject,
    evidence: evidence.filter(Boolean),
    cause: cause instanceof Error ? cause : undefined,
  });
}

/** Returns the address that a name has led to, which differs from machine to machine if their name servers do. */
function triedAddress(error: Error): readonly string[] {
  if (!("address" in error && "port" in error)) return [];
  return [`${String(error.address).replace(/.*:.*/, "[$&]")}:${error.port}`];
}

/** Names the proxy on the way to a service that does not respond. */
export function routeOf(proxy: EnvironmentProxy | undefined): readonly string[] {
  return proxy === undefined ? [] : [`through the proxy ${proxy.host}`];
}

// In these sentences a name in braces stands for what differs between failures of one kind; {setting} is where the address is set
// that failed, `baseUrl` or the variable of the proxy.

const UNTRUSTED =
  "its certificate comes from an authority that is not trusted here{issuer}{notGiven}; set caCertificate to that authority's certificate";
const NO_TLS = "the port does not speak TLS; check the port and the scheme of {setting}";
const NO_HANDSHAKE =
  "it requires a certificate from its clients, and this client has none, or both have no cipher in common; make the certificate optional, and enable the usual ciphers";
export const NEEDS_CERTIFICATE =
  "it requires a certificate from its clients, and this client has none; make the certificate optional there";
const NO_DESCRIPTOR =
  "no file descriptor is left; raise the limit (ulimit -n), or read fewer projects at the same time";
const NO_ROUTE = "there is no route to it; check {setting}, the network and firewalls";
const NO_RESPONSE = "it does not respond; check {setting}, the network and firewalls";
const CONNECTION_CUT = "the connection was cut; try again, and check {setting}, its scheme and any proxy";
const CORRECT_IT = "have the server corrected, or the proxy in front of it";

/** What to say of an error by the code that Node.js, OpenSSL or undici gives it. */
const SENTENCES = {
  ERR_TLS: {
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${UNTRUSTED}, or let the service send the intermediate certificates too`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
    SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
    UNABLE_TO_GET_ISSUER_CERT:
      "its certificate comes from an intermediate authority whose root is not trusted here; set caCertificate to the root's certificate",
    DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed{notGiven}; set caCertificate to that certificate",
    CERT_SIGNATURE_FAILURE:
      "its certificate names an authority that did not sign it; set caCertificate to that authority's current certificate",
    CERT_HAS_EXPIRED:
      "its certificate{validTo} or that of its authority has expired; renew it on the service, or correct the clock of this machine",
    CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clock of this machine and that of the server",
    ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name{names}; check the host of {setting}",
    ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
    ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "it supports only old versions of TLS; enable TLS 1.2 or 1.3 there",
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: NO_HANDSHAKE,
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": NO_HANDSHAKE,
    ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: NEEDS_CERTIFICATE,
    "ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE": NEEDS_CERTIFICATE,
    ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: NEEDS_CERTIFICATE,
    ERR_SSL_TLSV1_ALERT_ACCESS_DENIED: NEEDS_CERTIFICATE,
    ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NEEDS_CERTIFICATE,
    ERR_SSL_TLSV1_UNRECOGNIZED_NAME:
      "it does not know the host name of {setting}; check the host of {setting}, or add the name to the server, or to the proxy in front of it",
    ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: "it speaks only HTTP/2; enable HTTP/1.1 there",
    ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED:
      "it does not support secure renegotiation (RFC 5746); update its TLS, or that of the proxy in front of it",
  },
  ERR_CONNECTION: {
    EMFILE: NO_DESCRIPTOR,
    ENFILE: NO_DESCRIPTOR,
    ENOTFOUND: "its host name is unknown; check the host of {setting}",
    EAI_AGAIN: "its host name can't be looked up now; check the network",
    ECONNREFUSED: "nothing listens there; check the port of {setting}, and whether the server is running",
    EHOSTUNREACH: NO_ROUTE,
    ENETUNREACH: NO_ROUTE,
    UND_ERR_CONNECT_TIMEOUT: NO_RESPONSE,
    UND_ERR_BODY_TIMEOUT: "its response stopped in the middle; check {setting}, the network and firewalls",
    ECONNRESET: CONNECTION_CUT,
    UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CONNECTION_CUT,
  },
  ERR_INVALID_RESPONSE: {
    UND_ERR_RES_EXCEEDED_MAX_SIZE: "its response is longer than 1 MiB; check {setting}",
    UND_ERR_HEADERS_OVERFLOW: "the headers of its response are too long; check {setting}",
    // undici asserts that a status is 100 at least.
    ERR_ASSERTION: `its response breaks the rules of HTTP, because its status is 101 or below 100; ${CORRECT_IT}`,
  },
} as const;

const DIAGNOSIS_BY_CODE: ReadonlyMap<string, Diagnosis> = new Map(
  (["ERR_TLS", "ERR_CONNECTION", "ERR_INVALID_RESPONSE"] as const).flatMap((code) =>
    Object.entries(SENTENCES[code]).map(([ofError, says]): [string, Diagnosis] => [ofError, [code, says]]),
  ),
);

function diagnose(error: Error): Diagnosis {
  const errorCode = codeOf(error);
  const specific = DIAGNOSIS_BY_CODE.get(errorCode);
  if (specific !== undefined) return specific;
  if (certificates.has(error)) {
    return ["ERR_TLS", 'its certificate is refused, because OpenSSL says "{reason}"; replace the certificate there'];
  }
  // A record was damaged on the way.
  if (/_(?:BAD_RECORD_MAC|CIPHER_OPERATION_FAILED)$/.test(errorCode)) return ["ERR_CONNECTION", CONNECTION_CUT];
  if (/^ERR_(?:SSL|TLS)_/.test(errorCode)) {
    return ["ERR_TLS", "the TLS handshake failed; check the TLS of the server, and of what stands in front of it"];
  }
  if (error instanceof errors.HTTPParserError) return diagnoseParser(error.message);
  if (error instanceof errors.SocketError) return diagnoseSocket(error);
  if ("syscall" in error) {
    return ["ERR_CONNECTION", "the connection failed; check the network, firewalls and the limits of this machine"];
  }
  // undici marks its own errors. One about an argument is a defect, which fails again and again.
  if (error instanceof errors.UndiciError && !(error instanceof errors.InvalidArgumentError)) {
    return ["ERR_CONNECTION", "the connection failed; check {setting}, its scheme and any proxy"];
  }
  return ["ERR_UNKNOWN", 'an unexpected error, "{reason}"; report it as a defect of this package'];
}

/** undici gives most errors of its parser no code. */
function diagnoseParser(message: string): Diagnosis {
  if (message.includes("EOF")) return ["ERR_CONNECTION", CONNECTION_CUT];
  if (message.includes("Expected HTTP/")) {
    return ["ERR_INVALID_RESPONSE", "its response is not HTTP; check the port and the scheme of {setting}"];
  }
  return ["ERR_INVALID_RESPONSE", `its response breaks the rules of HTTP; ${CORRECT_IT}`];
}

function diagnoseSocket({ message, socket }: errors.SocketError): Diagnosis {
  if (/^bad (?:response|upgrade)$/.test(message)) {
    return ["ERR_INVALID_RESPONSE", `it sends status 100 or 101, which nothing has asked for; ${CORRECT_IT}`];
  }
  if (socket?.bytesRead !== 0) return ["ERR_CONNECTION", CONNECTION_CUT];
  // The HttpsServer of the JDK closes the connection without an alert if it requires a certificate.
  return [
    "ERR_CONNECTION",
    "the connection was cut before any response; try again, check the port and the scheme of {setting} and any proxy, and check that the server requires no certificate from its clients",
  ];
}

/**
 * What to say of a tunnel that a proxy refuses, or does not open in time. The name of the proxy comes first in the message.
 * @param status undefined without a response
 */
function diagnoseProxy(status: number | undefined, schemes: readonly string[]): Diagnosis {
  if (status === undefined) {
    return [
      "ERR_CONNECTION",
      "opens no tunnel to the service in time; check the host and the port of baseUrl, and the network of the proxy",
    ];
  }
  // Some proxies respond to wrong credentials with 401.
  if (status === 401 || status === 407) {
    if (schemes.length > 0 && !schemes.includes("basic")) {
      return [
        "ERR_PROXY",
        "accepts only {schemes}, and this client has only Basic authentication; use another proxy, or list the service's host in NO_PROXY",
      ];
    }
    return [
      "ERR_PROXY",
      "requires another user or password with Basic authentication; check those in {setting}, or list the service's host in NO_PROXY",
    ];
  }
  if (status === 403) {
    return [
      "ERR_PROXY",
      "does not allow connections to the service; allow them there, or list the service's host in NO_PROXY",
    ];
  }
  if (status < 500) {
    return [
      "ERR_PROXY",
      "does not open a tunnel; check the host of baseUrl, and that {setting} is the address of a proxy",
    ];
  }
  return [
    "ERR_CONNECTION",
    "can't reach the service; check the host and port of baseUrl, and the network of the proxy",
  ];
}

/** The error below wrappers. Of several addresses that were tried, the first one with a route counts. */
function root(cause: unknown): Error {
  if (cause instanceof ProxyError && cause.cause instanceof Error) return root(cause.cause);
  if (cause instanceof AggregateError)
    return root(cause.errors.find((error) => !UNROUTED.test(codeOf(error))) ?? cause.errors[0]);
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** This machine has no route to an address, or itself none of that kind. */
const UNROUTED = /^E(?:(?:HOST|NET)UNREACH|ADDRNOTAVAIL|AFNOSUPPORT|INVAL)$/;

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function inBrackets(text: string | undefined): string {
  return text ? ` (${text})` : "";
}
