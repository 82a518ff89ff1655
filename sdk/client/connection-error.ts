import { errors } from "undici";
import { UnusableChallenge } from "../digest/digest-challenge.ts";
import { ProxyError } from "./environment-proxy.ts";
import { AgentLogConfigError } from "./errors.ts";
import { type Certificate, certificates } from "./open-connector.ts";
import { printable } from "./printable.ts";
import type { Advice } from "./service-error.ts";

/**
 * Says why a request got no response and what to do about it.
 * @param subject what failed
 * @param hasCaCertificate whether a `caCertificate` is set
 */
export function connectionError(cause: unknown, subject: string, hasCaCertificate: boolean): AgentLogConfigError {
  const error = root(cause);
  // undici's parser keeps in it the text that it could not read, which may be settings.
  if ("data" in error) Object.assign(error, { data: undefined });
  const [code, says] = adviceOn(error, cause instanceof ProxyError ? cause : undefined, hasCaCertificate);
  // What was wrong with a challenge is the server's text, which the message has in a printable form.
  const isPrintable = cause instanceof Error && !(cause instanceof UnusableChallenge);
  return new AgentLogConfigError(code, says, { subject, cause: isPrintable ? cause : undefined });
}

function adviceOn(error: Error, proxyError: ProxyError | undefined, hasCaCertificate: boolean): Advice {
  const reason = printable(error.message, 300).replace(/\.$/, "");
  if (error instanceof UnusableChallenge)
    return ["ERR_AUTHENTICATION", `${reason}; check that baseUrl is the service, not a gateway with its own login`];
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
    return ["ERR_INVALID_RESPONSE", "the response is longer than 1 MiB; check baseUrl"];
  // undici itself refuses the response of a proxy that forwards plain http.
  if (reason.startsWith("Proxy Authentication Required")) return refusalOfProxy("the proxy", "HTTP_PROXY", 407);
  const proxy = proxyError && `the proxy ${proxyError.host}`;
  const setting = proxyError?.variable ?? "baseUrl";
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return ["ERR_INVALID_RESPONSE", `the headers from ${proxy ?? "the service"} are too long; check ${setting}`];
  if (proxy !== undefined && proxyError?.status !== undefined) return refusalOfProxy(proxy, setting, proxyError.status);
  const certificate = certificates.get(error);
  const says =
    adviceByCode(setting, hasCaCertificate && proxy === undefined, certificate)[code] ??
    (certificate === undefined
      ? adviceOnOthers(error, code, setting)
      : `its certificate is refused, because OpenSSL says "${reason}"; replace the certificate there`);
  const isTls = certificate !== undefined || /^ERR_(SSL|TLS)_/.test(code);
  const begin = proxy === undefined ? "" : `${proxy} can't be used: `;
  return [isTls ? "ERR_TLS" : "ERR_CONNECTION", `${begin}${says} (${code || reason})`];
}

function refusalOfProxy(proxy: string, variable: string, status: number): Advice {
  const end = `(status ${status})`;
  const network = "check the host and port of baseUrl, and the network of the proxy";
  if (status >= 500) return ["ERR_CONNECTION", `${proxy} can't reach the service; ${network} ${end}`];
  const otherwise = "or list the service's host in NO_PROXY";
  if (status === 403)
    return ["ERR_PROXY", `${proxy} does not allow connections to the service; allow them there, ${otherwise} ${end}`];
  // Some proxies respond to wrong credentials with 401.
  if (status !== 407 && status !== 401)
    return ["ERR_PROXY", `${proxy} does not open a tunnel; check that ${variable} is the address of a proxy ${end}`];
  const required = `requires another user or password with Basic authentication; check those in ${variable}`;
  return ["ERR_PROXY", `${proxy} ${required}, ${otherwise} ${end}`];
}

/** What happened and what to do about it, by the code of Node.js, OpenSSL or undici. */
function adviceByCode(
  setting: string,
  hasCaCertificate: boolean,
  { names, issuer, validTo }: Certificate = { names: "", issuer: "", validTo: "" },
): Readonly<Record<string, string | undefined>> {
  const notGiven = hasCaCertificate ? " and is not the one in caCertificate" : "";
  const authority = `its certificate comes from an authority that is not trusted here${issuer && ` (${issuer})`}${notGiven}; set caCertificate to that authority's certificate`;
  const noTls = `the port does not speak TLS; check the port and the scheme of ${setting}`;
  const handshake =
    "it requires a certificate from its clients, and this client has none, or both have no cipher in common; make the certificate optional, and enable the usual ciphers";
  const network = `check ${setting}, the network and firewalls`;
  const noRoute = `there is no route to it; ${network}`;
  const silent = `it does not respond; ${network}`;
  const noDescriptors = "no file descriptor is left; raise the limit (ulimit -n), or read fewer projects at once";
  return {
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${authority}, or let the service send the intermediate certificates too`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: authority,
    SELF_SIGNED_CERT_IN_CHAIN: authority,
    UNABLE_TO_GET_ISSUER_CERT:
      "its certificate comes from an intermediate authority whose root is not trusted here; set caCertificate to the root's certificate",
    DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed${notGiven}; set caCertificate to that certificate`,
    CERT_SIGNATURE_FAILURE:
      "its certificate names an authority that did not sign it; set caCertificate to that authority's current certificate",
    CERT_HAS_EXPIRED: `its certificate${validTo && ` (valid until ${validTo})`} or that of its authority has expired; renew it on the service`,
    CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clocks of both machines",
    ERR_TLS_CERT_ALTNAME_INVALID: `its certificate is for another host name${names && ` (${names})`}; check the host of ${setting}`,
    ERR_SSL_WRONG_VERSION_NUMBER: noTls,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
    ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "it supports only old versions of TLS; enable TLS 1.2 or 1.3 there",
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: handshake,
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": handshake,
    EMFILE: noDescriptors,
    ENFILE: noDescriptors,
    ENOTFOUND: `its host name is unknown; check the host of ${setting}`,
    EAI_AGAIN: "its host name can't be looked up now; check the network",
    ECONNREFUSED: `nothing listens there; check the port of ${setting}, and whether the server is running`,
    EHOSTUNREACH: noRoute,
    ENETUNREACH: noRoute,
    UND_ERR_CONNECT_TIMEOUT: silent,
    UND_ERR_HEADERS_TIMEOUT: silent,
    UND_ERR_BODY_TIMEOUT: `its response stopped in the middle; ${network}`,
    ECONNRESET: `the connection was cut; try again, and check the scheme of ${setting} and any proxy`,
  };
}

function adviceOnOthers(error: Error, code: string, setting: string): string {
  if (error instanceof errors.HTTPParserError)
    return `its response is not HTTP; check the port and the scheme of ${setting}`;
  // undici does not see the alert with which TLS 1.3 asks for a client's certificate.
  if (error instanceof errors.SocketError && error.socket?.bytesRead === 0) {
    return `the connection was cut before any response; try again, check the port and the scheme of ${setting} and any proxy, and check that the server requires no certificate from its clients`;
  }
  const what = code === "UND_ERR_SOCKET" ? "was cut; try again, and" : "failed;";
  return `the connection ${what} check ${setting}, its scheme and any proxy`;
}

/** The error below wrappers, or the first of several addresses that were tried. */
function root(cause: unknown): Error {
  if (cause instanceof ProxyError && cause.cause instanceof Error) return root(cause.cause);
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return root(cause.errors[0]);
  return cause instanceof Error ? cause : new Error(String(cause));
}
