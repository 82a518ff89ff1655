import { types } from "node:util";
import { errors } from "undici";
import { UnavailableHash, UnusableChallenge } from "../digest/digest-scheme.ts";
import type { ConnectionOptions } from "../model/connection-options.ts";
import { AgentLogConfigError, type Diagnosis } from "../model/errors.ts";
import { printable } from "../text/printable.ts";
import { type Certificate, failedConnectionOf } from "./connection-factory.ts";
import type { EnvironmentProxy } from "./environment-proxy.ts";
import { ProxyError } from "./proxy-connector.ts";

/** A request, as far as an error without a response needs it. */
export interface FailedRequest {
  readonly subject: string;
  readonly options: Pick<ConnectionOptions, "baseUrl" | "caCertificate">;
  /** The proxy that the request goes through. */
  readonly proxy: EnvironmentProxy | undefined;
}

/** Says why a request got no response and what to do about it. */
export function connectionError(cause: unknown, { subject, options, proxy }: FailedRequest): AgentLogConfigError {
  const error = rootCause(cause);
  if (error instanceof UnusableChallenge) {
    const says = `${wordsOf(error)}; check that baseUrl is the service, not a gateway with its own login`;
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
  const mismatch = options.caCertificate === undefined ? "" : " and is not the one in caCertificate";
  const ifSilent = options.baseUrl.startsWith("http:") ? IF_SILENT_WITHOUT_TLS : IF_SILENT;
  const [code, says] =
    proxyError === undefined
      ? diagnose(error, { setting: "baseUrl", otherChecks: ", its scheme and any proxy", mismatch, ifSilent })
      : diagnoseProxy(proxyError, error);
  const words = codeOf(error) || (says.includes(wordsOf(error)) ? "" : wordsOf(error));
  const evidence = [
    proxyError?.status === undefined ? words : `status ${proxyError.status}`,
    triedAddress(error),
    ...(proxyError === undefined ? routeOf(proxy) : []),
  ];
  return new AgentLogConfigError(code, says, {
    subject,
    evidence: evidence.filter(Boolean),
    cause: types.isNativeError(cause) ? cause : undefined,
  });
}

/** Names the proxy on the way to the service. */
export function routeOf(proxy: EnvironmentProxy | undefined): readonly string[] {
  return proxy === undefined ? [] : [`through the proxy ${proxy.host}`];
}

/** Returns the words of an error itself, as the end of a sentence. */
function wordsOf({ message }: Error): string {
  return printable(message.replace(/^The /, "the "), 300).replace(/\.$/, "");
}

/** Returns the address that a name has led to, which differs from machine to machine if their name servers do. */
function triedAddress(error: Error): string {
  const isKnown = "address" in error && "port" in error;
  return isKnown ? `${String(error.address).replace(/.*:.*/, "[$&]")}:${error.port}` : "";
}

/** What differs between sentences of one kind. */
interface SentenceParts {
  /** Where the address is set that failed: `baseUrl`, or the variable of the proxy. */
  readonly setting: string;
  /** What else to check with it; empty for the address of the proxy. */
  readonly otherChecks: string;
  /** Says that the certificate is not the one in the options; empty if there is none. */
  readonly mismatch: string;
  /** What to do about a connection that is cut before any response. */
  readonly ifSilent: string;
}

type Sentence = string | ((parts: SentenceParts & Partial<Certificate>) => string);

const untrusted = ({ mismatch, issuer }: SentenceParts & Partial<Certificate>) =>
  `its certificate comes from an authority that is not trusted here${inBrackets(issuer)}${mismatch}; set caCertificate to that authority's certificate`;
const noTls: Sentence = ({ setting }) => `the port does not speak TLS; check the port and the scheme of ${setting}`;
const NO_HANDSHAKE =
  "it requires a certificate from its clients, and this client has none, or both have no cipher in common; make the certificate optional, and enable the usual ciphers";
export const NEEDS_CERTIFICATE =
  "it requires a certificate from its clients, and this client has none; make the certificate optional there";
const NO_DESCRIPTOR =
  "no file descriptor is left; raise the limit (ulimit -n), or read fewer projects at the same time";
const noRoute: Sentence = ({ setting }) => `there is no route to it; check ${setting}, the network and firewalls`;
const connectionCut = ({ setting, otherChecks }: SentenceParts) =>
  `the connection was cut; try again, and check ${setting}${otherChecks}`;
// The HttpsServer of the JDK closes the connection without an alert if it requires a certificate.
const IF_SILENT =
  "try again, check the port and the scheme of baseUrl and any proxy, and check that the server requires no certificate from its clients";
const IF_SILENT_WITHOUT_TLS =
  "if this port speaks TLS, write https: in baseUrl; otherwise check the port and any proxy, and try again";
const CORRECT_IT = "have the server corrected, or the proxy in front of it";

/** What to say of an error by the code that Node.js, OpenSSL or undici gives it. */
const SENTENCES: Readonly<Record<string, Readonly<Record<string, Sentence>>>> = {
  ERR_TLS: {
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: (parts) =>
      `${untrusted(parts)}, or let the service send the intermediate certificates too`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
    SELF_SIGNED_CERT_IN_CHAIN: untrusted,
    UNABLE_TO_GET_ISSUER_CERT:
      "its certificate comes from an intermediate authority whose root is not trusted here; set caCertificate to the root's certificate",
    DEPTH_ZERO_SELF_SIGNED_CERT: ({ mismatch }) =>
      `its certificate is self-signed${mismatch}; set caCertificate to that certificate`,
    CERT_SIGNATURE_FAILURE:
      "its certificate names an authority that did not sign it; set caCertificate to that authority's current certificate",
    CERT_HAS_EXPIRED: ({ validTo }) =>
      `its certificate${inBrackets(validTo && `valid until ${validTo}`)} or that of its authority has expired; renew it on the service, or correct the clock of this machine`,
    CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clock of this machine and that of the server",
    ERR_TLS_CERT_ALTNAME_INVALID: ({ setting, names }) =>
      `its certificate is for another host name${inBrackets(names)}; check the host of ${setting}`,
    ERR_SSL_WRONG_VERSION_NUMBER: noTls,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
    ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "it supports only old versions of TLS; enable TLS 1.2 or 1.3 there",
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: NO_HANDSHAKE,
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": NO_HANDSHAKE,
    ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: NEEDS_CERTIFICATE,
    "ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE": NEEDS_CERTIFICATE,
    ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: NEEDS_CERTIFICATE,
    ERR_SSL_TLSV1_ALERT_ACCESS_DENIED: NEEDS_CERTIFICATE,
    ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NEEDS_CERTIFICATE,
    ERR_SSL_TLSV1_UNRECOGNIZED_NAME: ({ setting }) =>
      `it does not know the host name of ${setting}; check the host of ${setting}, or add the name to the server, or to the proxy in front of it`,
    ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED:
      "it does not support secure renegotiation (RFC 5746); update its TLS, or that of the proxy in front of it",
  },
  ERR_CONNECTION: {
    EMFILE: NO_DESCRIPTOR,
    ENFILE: NO_DESCRIPTOR,
    ENOTFOUND: ({ setting }) => `its host name is unknown; check the host of ${setting}`,
    EAI_AGAIN: "its host name can't be looked up now; check the network",
    ECONNREFUSED: ({ setting }) =>
      `nothing listens there; check the port of ${setting}, and whether the server is running`,
    EHOSTUNREACH: noRoute,
    ENETUNREACH: noRoute,
    UND_ERR_CONNECT_TIMEOUT: ({ setting }) => `it does not respond; check ${setting}, the network and firewalls`,
    UND_ERR_BODY_TIMEOUT: ({ setting }) =>
      `its response stopped in the middle; check ${setting}, the network and firewalls`,
    ECONNRESET: connectionCut,
    UND_ERR_RES_CONTENT_LENGTH_MISMATCH: connectionCut,
  },
  ERR_INVALID_RESPONSE: {
    UND_ERR_RES_EXCEEDED_MAX_SIZE: ({ setting }) => `its response is longer than 1 MiB; check ${setting}`,
    UND_ERR_HEADERS_OVERFLOW: ({ setting }) => `the headers of its response are too long; check ${setting}`,
    // undici asserts that a status is 100 at least.
    ERR_ASSERTION: `its response breaks the rules of HTTP, because its status is 101 or below 100; ${CORRECT_IT}`,
  },
};

function diagnose(error: Error, parts: SentenceParts): Diagnosis {
  const errorCode = codeOf(error);
  const { certificate, isDamaged } = failedConnectionOf(error);
  if (isDamaged) return ["ERR_CONNECTION", connectionCut(parts)];
  for (const code of ["ERR_TLS", "ERR_CONNECTION", "ERR_INVALID_RESPONSE"] as const) {
    const sentence = SENTENCES[code]?.[errorCode];
    if (typeof sentence === "string") return [code, sentence];
    if (sentence !== undefined) return [code, sentence({ ...parts, ...certificate })];
  }
  if (certificate !== undefined) {
    const says = `its certificate is refused, because OpenSSL says "${wordsOf(error)}"; replace the certificate there`;
    return ["ERR_TLS", says];
  }
  if (/^ERR_(?:SSL|TLS)_/.test(errorCode)) {
    return ["ERR_TLS", "the TLS handshake failed; check the TLS of the server, and of what stands in front of it"];
  }
  if (error instanceof errors.HTTPParserError) return diagnoseParser(error.message, parts);
  if (error instanceof errors.SocketError) return diagnoseSocket(error, parts);
  if ("syscall" in error) {
    return ["ERR_CONNECTION", "the connection failed; check the network, firewalls and the limits of this machine"];
  }
  // undici marks its own errors. One about an argument is a defect, which fails again and again.
  if (error instanceof errors.UndiciError && !(error instanceof errors.InvalidArgumentError)) {
    return ["ERR_CONNECTION", `the connection failed; check ${parts.setting}${parts.otherChecks}`];
  }
  return ["ERR_UNKNOWN", `an unexpected error, "${wordsOf(error)}"; report it as a defect of this package`];
}

/** undici gives most errors of its parser no code. */
function diagnoseParser(message: string, parts: SentenceParts): Diagnosis {
  if (message.includes("EOF")) return ["ERR_CONNECTION", connectionCut(parts)];
  const says = message.includes("Expected HTTP/")
    ? `its response is not HTTP; check the port and the scheme of ${parts.setting}`
    : `its response breaks the rules of HTTP; ${CORRECT_IT}`;
  return ["ERR_INVALID_RESPONSE", says];
}

function diagnoseSocket({ message, socket }: errors.SocketError, parts: SentenceParts): Diagnosis {
  if (/^bad (?:response|upgrade)$/.test(message)) {
    return ["ERR_INVALID_RESPONSE", `it sends status 100 or 101, which nothing has asked for; ${CORRECT_IT}`];
  }
  if (socket?.bytesRead !== 0) return ["ERR_CONNECTION", connectionCut(parts)];
  return ["ERR_CONNECTION", `the connection was cut before any response; ${parts.ifSilent}`];
}

/** What to say of a proxy that opens no tunnel, or can't be reached itself. */
function diagnoseProxy(proxyError: ProxyError, error: Error): Diagnosis {
  const { host, status, variable } = proxyError;
  if (status !== undefined) {
    const [code, says] = diagnoseDenial(status, proxyError);
    return [code, `the proxy ${host} ${says}`];
  }
  // Only the response to CONNECT has a time of its own.
  if (codeOf(error) === "UND_ERR_HEADERS_TIMEOUT") {
    const says = "opens no tunnel to the service in time; check the host and the port of baseUrl";
    return ["ERR_CONNECTION", `the proxy ${host} ${says}, and the network of the proxy`];
  }
  const ifSilent = `try again, and check the port and the scheme of ${variable}`;
  const [code, says] = diagnose(error, { setting: variable, otherChecks: "", mismatch: "", ifSilent });
  return [code, `the proxy ${host} can't be used: ${says}`];
}

/** What to say of a proxy that denies a tunnel, behind its name. */
function diagnoseDenial(status: number, { schemes, variable, hasCredentials }: ProxyError): Diagnosis {
  // Some proxies respond to wrong credentials with 401. Px and cntlm log in to another proxy themselves.
  if (status === 401 || status === 407) {
    const isBasic = schemes.length === 0 || schemes.includes("basic");
    const login = hasCredentials
      ? `requires another user or password with Basic authentication; check those in ${variable}`
      : `requires a user and a password; set them in ${variable} or, if it logs in to another proxy itself, correct them there`;
    const says = isBasic
      ? login
      : `accepts only ${printable(schemes.join(", "))}, and this client has only Basic authentication; use another proxy`;
    return ["ERR_PROXY", `${says}, or list the service's host in NO_PROXY`];
  }
  if (status === 403) {
    const says = "does not allow connections to the service; allow them there, or list the service's host in NO_PROXY";
    return ["ERR_PROXY", says];
  }
  if (status < 500) {
    const says = `does not open a tunnel; check the host of baseUrl, and that ${variable} is the address of a proxy`;
    return ["ERR_PROXY", says];
  }
  const says = "can't reach the service; check the host and port of baseUrl, and the network of the proxy";
  return ["ERR_CONNECTION", says];
}

/**
 * The error below wrappers. Of several addresses that were tried, the first one with a route counts. In a test of Jest, errors of
 * Node.js are no instances of `Error`.
 */
function rootCause(cause: unknown): Error {
  if (!types.isNativeError(cause)) return new Error(String(cause));
  if (cause instanceof ProxyError && cause.cause !== undefined) return rootCause(cause.cause);
  if (!("errors" in cause && Array.isArray(cause.errors))) return cause;
  return rootCause(cause.errors.find((error) => !UNROUTED.test(codeOf(error))) ?? cause.errors[0]);
}

/** This machine has no route to an address, or itself none of that kind. */
const UNROUTED = /^E(?:(?:HOST|NET)UNREACH|ADDRNOTAVAIL|AFNOSUPPORT|INVAL)$/;

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function inBrackets(text: string | undefined): string {
  return text ? ` (${text})` : "";
}
