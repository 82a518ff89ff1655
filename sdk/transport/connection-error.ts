import { errors } from "undici";
import { UnusableChallenge } from "../digest/digest-challenge.ts";
import { UnavailableHash } from "../digest/request-signer.ts";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../model/errors.ts";
import { printable } from "../model/printable.ts";
import { type EnvironmentProxy, ProxyError } from "./environment-proxy.ts";
import { certificates } from "./open-connector.ts";

/** A request that got no response. */
interface FailedRequest {
  /** What failed. */
  readonly subject: string;
  readonly options: { readonly caCertificate?: string | undefined };
  /** The proxy of the environment, whether or not the request goes through it. */
  readonly proxy: EnvironmentProxy | undefined;
}

/** Says why a request got no response and what to do about it, with the row that fits. */
export function connectionError(cause: unknown, { subject, options, proxy }: FailedRequest): AgentLogConfigError {
  const error = root(cause);
  // undici's parser keeps in it the text that it could not read, which may be settings.
  if ("data" in error) Object.assign(error, { data: undefined });
  const proxyError = cause instanceof ProxyError ? cause : refusalOfProxy(proxy, error);
  const { status } = proxyError ?? {};
  const places = placesOf(error, proxyError, options.caCertificate !== undefined);
  const { code, says, isWhole } = status === undefined ? rowOf(error) : rowOfProxy(status);
  const begin =
    proxyError === undefined ? "" : `the proxy ${proxyError.host} ${status === undefined ? "can't be used: " : ""}`;
  const sentence = says.replace(/\{(\w+)\}/g, (_, name: keyof Places) => places[name]);
  const end = status === undefined ? codeOf(error) || places.reason : `status ${status}`;
  return new AgentLogConfigError(code, `${begin}${sentence}${isWhole === true ? "" : ` (${end})`}`, {
    subject,
    // A challenge is the server's text as it is.
    cause: cause instanceof Error && !(cause instanceof UnusableChallenge) ? cause : undefined,
  });
}

/** Says that no connection could be opened in the time of a read. */
export function unreachedError(request: FailedRequest): AgentLogConfigError {
  const { proxy } = request;
  const cause = new errors.ConnectTimeoutError("The time of the read is over.");
  return connectionError(proxy?.use === undefined ? cause : new ProxyError(proxy, { cause }), request);
}

/** Why a request fails, as a message says it. */
interface Row<Of> {
  /** What the row is for: codes of Node.js, OpenSSL or undici, or a function that recognizes an error or a status. */
  readonly of: Of;
  readonly code: AgentLogConfigErrorCode;
  /** Why the request failed, and what to do; a name in braces stands for one of the {@link Places}. */
  readonly says: string;
  /** The message ends with `says`. Otherwise the code of the error, or the status of the proxy, follows. */
  readonly isWhole?: true;
}

/** What differs between failures of one kind. */
type Places = Readonly<ReturnType<typeof placesOf>>;

/** @param proxyError the proxy that failed in the place of the service */
function placesOf(error: Error, proxyError: ProxyError | undefined, hasCaCertificate: boolean) {
  const { issuer, names, validTo } = certificates.get(error) ?? {};
  return {
    reason: printable(error.message.replace(/^The /, "the "), 300).replace(/\.$/, ""),
    /** Where the address is set that failed: `baseUrl`, or the variable of the proxy. */
    setting: proxyError?.variable ?? "baseUrl",
    // These are empty if nothing is known of a certificate.
    issuer: inBrackets(issuer),
    names: inBrackets(names),
    validTo: inBrackets(validTo && `valid until ${validTo}`),
    notGiven: hasCaCertificate && proxyError === undefined ? " and is not the one in caCertificate" : "",
    algorithm: error instanceof UnavailableHash ? error.algorithm : "",
  };
}

const UNTRUSTED =
  "its certificate comes from an authority that is not trusted here{issuer}{notGiven}; set caCertificate to that authority's certificate";
const NO_HANDSHAKE =
  "it requires a certificate from its clients, and this client has none, or both have no cipher in common; make the certificate optional, and enable the usual ciphers";
const CONNECTION_CUT = "the connection was cut; try again, and check {setting}, its scheme and any proxy";
const MENDS = "have the server mended, or the proxy in front of it";

/** The failures of a connection. The first row that fits counts. */
export const ROWS: readonly Row<readonly string[] | ((error: Error) => boolean)>[] = [
  {
    of: (error) => error instanceof UnusableChallenge,
    code: "ERR_AUTHENTICATION",
    says: "{reason}; check that baseUrl is the service, not a gateway with its own login",
    isWhole: true,
  },
  {
    of: (error) => error instanceof UnavailableHash,
    code: "ERR_RUNTIME",
    says: "the Digest of the service needs {algorithm}, which this Node.js does not allow; run it without FIPS mode",
    isWhole: true,
  },
  {
    of: ["UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    code: "ERR_TLS",
    says: `${UNTRUSTED}, or let the service send the intermediate certificates too`,
  },
  { of: ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "SELF_SIGNED_CERT_IN_CHAIN"], code: "ERR_TLS", says: UNTRUSTED },
  {
    of: ["UNABLE_TO_GET_ISSUER_CERT"],
    code: "ERR_TLS",
    says: "its certificate comes from an intermediate authority whose root is not trusted here; set caCertificate to the root's certificate",
  },
  {
    of: ["DEPTH_ZERO_SELF_SIGNED_CERT"],
    code: "ERR_TLS",
    says: "its certificate is self-signed{notGiven}; set caCertificate to that certificate",
  },
  {
    of: ["CERT_SIGNATURE_FAILURE"],
    code: "ERR_TLS",
    says: "its certificate names an authority that did not sign it; set caCertificate to that authority's current certificate",
  },
  {
    of: ["CERT_HAS_EXPIRED"],
    code: "ERR_TLS",
    says: "its certificate{validTo} or that of its authority has expired; renew it on the service",
  },
  {
    of: ["CERT_NOT_YET_VALID"],
    code: "ERR_TLS",
    says: "its certificate is not valid yet; check the clocks of both machines",
  },
  {
    of: ["ERR_TLS_CERT_ALTNAME_INVALID"],
    code: "ERR_TLS",
    says: "its certificate is for another host name{names}; check the host of {setting}",
  },
  {
    of: ["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"],
    code: "ERR_TLS",
    says: "the port does not speak TLS; check the port and the scheme of {setting}",
  },
  {
    of: ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION"],
    code: "ERR_TLS",
    says: "it supports only old versions of TLS; enable TLS 1.2 or 1.3 there",
  },
  {
    of: ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE"],
    code: "ERR_TLS",
    says: NO_HANDSHAKE,
  },
  {
    of: (error) => certificates.has(error),
    code: "ERR_TLS",
    says: 'its certificate is refused, because OpenSSL says "{reason}"; replace the certificate there',
  },
  {
    of: (error) => /^ERR_(?:SSL|TLS)_/.test(codeOf(error)),
    code: "ERR_TLS",
    says: "the TLS handshake failed; check {setting}, its scheme and any proxy",
  },
  {
    of: ["EMFILE", "ENFILE"],
    code: "ERR_CONNECTION",
    says: "no file descriptor is left; raise the limit (ulimit -n), or read fewer projects at the same time",
  },
  { of: ["ENOTFOUND"], code: "ERR_CONNECTION", says: "its host name is unknown; check the host of {setting}" },
  { of: ["EAI_AGAIN"], code: "ERR_CONNECTION", says: "its host name can't be looked up now; check the network" },
  {
    of: ["ECONNREFUSED"],
    code: "ERR_CONNECTION",
    says: "nothing listens there; check the port of {setting}, and whether the server is running",
  },
  {
    of: ["EHOSTUNREACH", "ENETUNREACH"],
    code: "ERR_CONNECTION",
    says: "there is no route to it; check {setting}, the network and firewalls",
  },
  {
    of: ["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"],
    code: "ERR_CONNECTION",
    says: "it does not respond; check {setting}, the network and firewalls",
  },
  {
    of: ["UND_ERR_BODY_TIMEOUT"],
    code: "ERR_CONNECTION",
    says: "its response stopped in the middle; check {setting}, the network and firewalls",
  },
  {
    of: (error) =>
      ["ECONNRESET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"].includes(codeOf(error)) || saysOfParser(error, "EOF"),
    code: "ERR_CONNECTION",
    says: CONNECTION_CUT,
  },
  {
    of: ["UND_ERR_RES_EXCEEDED_MAX_SIZE"],
    code: "ERR_INVALID_RESPONSE",
    says: "its response is longer than 1 MiB; check {setting}",
  },
  {
    of: ["UND_ERR_HEADERS_OVERFLOW"],
    code: "ERR_INVALID_RESPONSE",
    says: "the headers of its response are too long; check {setting}",
  },
  {
    of: (error) => saysOfParser(error, "Expected HTTP/"),
    code: "ERR_INVALID_RESPONSE",
    says: "its response is not HTTP; check the port and the scheme of {setting}",
  },
  {
    of: (error) => saysOfParser(error, ""),
    code: "ERR_INVALID_RESPONSE",
    says: `its response breaks the rules of HTTP; ${MENDS}`,
  },
  {
    // undici asserts that a status is 100 at least.
    of: ["ERR_ASSERTION"],
    code: "ERR_INVALID_RESPONSE",
    says: `its response breaks the rules of HTTP, because its status is below 100; ${MENDS}`,
  },
  {
    of: (error) => error instanceof errors.SocketError && /^bad (?:response|upgrade)$/.test(error.message),
    code: "ERR_INVALID_RESPONSE",
    says: `it sends status 100 or 101, which nothing has asked for; ${MENDS}`,
  },
  {
    // undici does not see the alert with which TLS 1.3 asks for a client's certificate.
    of: (error) => error instanceof errors.SocketError && error.socket?.bytesRead === 0,
    code: "ERR_CONNECTION",
    says: "the connection was cut before any response; try again, check the port and the scheme of {setting} and any proxy, and check that the server requires no certificate from its clients",
  },
  { of: (error) => error instanceof errors.SocketError, code: "ERR_CONNECTION", says: CONNECTION_CUT },
  {
    // undici and the system mark their own errors. One about an argument is a defect, which fails again and again.
    of: (error) =>
      (error instanceof errors.UndiciError && !(error instanceof errors.InvalidArgumentError)) || "syscall" in error,
    code: "ERR_CONNECTION",
    says: "the connection failed; check {setting}, its scheme and any proxy",
  },
];

const DEFECT: Row<undefined> = {
  of: undefined,
  code: "ERR_UNKNOWN",
  says: "an unexpected error; report it as a defect of this package",
};

/** The failures of a tunnel, by the status with which a proxy refuses it. The name of the proxy comes first in the message. */
export const PROXY_ROWS: readonly Row<(status: number) => boolean>[] = [
  {
    // Some proxies respond to wrong credentials with 401.
    of: (status) => status === 401 || status === 407,
    code: "ERR_PROXY",
    says: "requires another user or password with Basic authentication; check those in {setting}, or list the service's host in NO_PROXY",
  },
  {
    of: (status) => status === 403,
    code: "ERR_PROXY",
    says: "does not allow connections to the service; allow them there, or list the service's host in NO_PROXY",
  },
  {
    of: (status) => status >= 500,
    code: "ERR_CONNECTION",
    says: "can't reach the service; check the host and port of baseUrl, and the network of the proxy",
  },
  {
    of: () => true,
    code: "ERR_PROXY",
    says: "does not open a tunnel; check that {setting} is the address of a proxy",
  },
];

function rowOf(error: Error): Row<unknown> {
  return ROWS.find(({ of }) => (typeof of === "function" ? of(error) : of.includes(codeOf(error)))) ?? DEFECT;
}

function rowOfProxy(status: number): Row<unknown> {
  return PROXY_ROWS.find(({ of }) => of(status)) ?? DEFECT;
}

/** undici itself refuses the response of a proxy that forwards plain http and requires credentials. */
function refusalOfProxy(proxy: EnvironmentProxy | undefined, { message }: Error): ProxyError | undefined {
  const isRefused = proxy !== undefined && message.startsWith("Proxy Authentication Required");
  return isRefused ? new ProxyError(proxy, { status: 407 }) : undefined;
}

/** The error below wrappers, or the first of several addresses that were tried. */
function root(cause: unknown): Error {
  if (cause instanceof ProxyError && cause.cause instanceof Error) return root(cause.cause);
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return root(cause.errors[0]);
  return cause instanceof Error ? cause : new Error(String(cause));
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Tells whether the parser says this of a response; undici gives its errors no code. */
function saysOfParser(error: Error, words: string): boolean {
  return error instanceof errors.HTTPParserError && error.message.includes(words);
}

function inBrackets(text: string | undefined): string {
  return text ? ` (${text})` : "";
}
