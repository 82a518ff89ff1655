import { errors } from "undici";
import { DigestError } from "../digest/index.ts";
import { ProxyFailure } from "./environment-proxy.ts";
import { AgentLogConfigError } from "./errors.ts";
import { printable } from "./printable.ts";
import type { Advice } from "./service-error.ts";

/**
 * Says why a request got no response and what to do about it.
 * @param failure how the message begins
 * @param hasCaCertificate whether a `caCertificate` is set
 */
export function connectionError(cause: unknown, failure: string, hasCaCertificate: boolean): AgentLogConfigError {
  const error = root(cause);
  // undici's parser keeps in it the text that it could not read, which may be settings.
  if ("data" in error) Reflect.deleteProperty(error, "data");
  const proxyFailure = cause instanceof ProxyFailure ? cause : undefined;
  const [code, says] = adviceOn(error, proxyFailure, hasCaCertificate);
  return new AgentLogConfigError(code, `${failure}: ${says}`, { cause: cause instanceof Error ? cause : undefined });
}

function adviceOn(error: Error, failure: ProxyFailure | undefined, hasCaCertificate: boolean): Advice {
  const reason = printable(error.message).replace(/\.$/, "");
  if (error instanceof DigestError) return ["ERR_AUTHENTICATION", `${reason}.`];
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return ["ERR_INVALID_RESPONSE", "the headers of the response are too long; check baseUrl."];
  // undici itself refuses the response of a proxy that forwards plain http.
  if (reason.startsWith("Proxy Authentication Required"))
    return ["ERR_PROXY", `the proxy ${proxyAdvice("HTTP_PROXY", 407)} (status 407).`];
  const { proxy, status } = failure ?? {};
  if (proxy !== undefined && status !== undefined) {
    const says = `the proxy ${proxy.host} ${proxyAdvice(proxy.variable, status)} (status ${status}).`;
    return [status >= 500 ? "ERR_CONNECTION" : "ERR_PROXY", says];
  }
  const setting = proxy?.variable ?? "baseUrl";
  const begin = proxy === undefined ? "" : `the proxy ${proxy.host} can't be used: `;
  const tls = tlsAdvice(code, setting, hasCaCertificate && proxy === undefined);
  if (tls !== undefined) return ["ERR_TLS", `${begin}${tls} (${code}).`];
  const says = peerAdvice(error, setting) ?? connectionAdvice(code, setting);
  return ["ERR_CONNECTION", `${begin}${says} (${code || reason}).`];
}

function proxyAdvice(variable: string, status: number): string {
  if (status >= 500) return "can't reach the service; check the host and port of baseUrl, and the network of the proxy";
  if (status === 403) {
    return "does not allow connections to the service; allow its host and port on the proxy, or list the host in NO_PROXY";
  }
  // Some proxies respond to wrong credentials with 401.
  if (status !== 407 && status !== 401)
    return `does not open a tunnel to the service; check that ${variable} is the address of a proxy`;
  return `requires another user or password with Basic authentication; check those in ${variable}, or list the service's host in NO_PROXY`;
}

function tlsAdvice(code: string, setting: string, hasCaCertificate: boolean): string | undefined {
  const notGiven = hasCaCertificate ? " and is not the one in caCertificate" : "";
  const unknownAuthority = `its certificate comes from an authority that is not trusted here${notGiven}; set caCertificate to that authority's certificate`;
  const noTls = `the port does not speak TLS; check the port and the scheme of ${setting}`;
  const tooOld = "it supports only TLS versions that are too old; enable TLS 1.2 or 1.3 there";
  const certificateRequired = "it requires a certificate from its clients, and this client has none";
  const noHandshake = `${certificateRequired}, or both have no cipher in common; make the certificate optional, and enable the usual ciphers`;
  const known: Readonly<Record<string, string>> = {
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${unknownAuthority}, or let the service send the intermediate certificates too`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
    SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
    UNABLE_TO_GET_ISSUER_CERT:
      "its certificate comes from an intermediate authority whose root is not trusted here; set caCertificate to the root's certificate",
    DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed${notGiven}; set caCertificate to that certificate`,
    CERT_SIGNATURE_FAILURE:
      "its certificate names an authority that did not sign it; set caCertificate to that authority's current certificate",
    CERT_HAS_EXPIRED: "its certificate or that of its authority has expired; renew it on the service",
    CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clocks of both machines",
    ERR_TLS_CERT_ALTNAME_INVALID: `its certificate is for another host name; check the host of ${setting}`,
    ERR_SSL_WRONG_VERSION_NUMBER: noTls,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
    ERR_SSL_UNSUPPORTED_PROTOCOL: tooOld,
    ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: tooOld,
    ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: `${certificateRequired}; make it optional`,
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: noHandshake,
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": noHandshake,
  };
  return (
    known[code] ?? (/^ERR_(SSL|TLS)_/.test(code) ? `TLS failed; check the server that ${setting} names` : undefined)
  );
}

/** What the other side did once it was connected. */
function peerAdvice(error: Error, setting: string): string | undefined {
  if (error instanceof errors.HTTPParserError) {
    return `its response is not HTTP; check the port and the scheme of ${setting}`;
  }
  // undici does not see the alert with which TLS 1.3 asks for a client's certificate.
  if (error instanceof errors.SocketError && error.socket?.bytesRead === 0) {
    return `the connection was cut before any response; try again, check the port and the scheme of ${setting} and any proxy, and check that it does not require a certificate from its clients`;
  }
  return undefined;
}

function connectionAdvice(code: string, setting: string): string {
  const isDirect = setting === "baseUrl";
  const route = isDirect ? "baseUrl, the network and HTTPS_PROXY" : `${setting} and the network`;
  const timeout = `it does not respond; check firewalls, ${route}`;
  const noRoute = `there is no route to it; check ${route}`;
  const cut = `the connection was cut; try again, and check the scheme of ${setting} and any proxy`;
  const known: Readonly<Record<string, string>> = {
    ENOTFOUND: `its host name is unknown; check the host of ${setting}`,
    EAI_AGAIN: "its host name can't be looked up now; check the network",
    ECONNREFUSED: `nothing listens there; check the port of ${setting}, and whether the ${isDirect ? "service" : "proxy"} is running`,
    EHOSTUNREACH: noRoute,
    ENETUNREACH: noRoute,
    UND_ERR_CONNECT_TIMEOUT: timeout,
    UND_ERR_HEADERS_TIMEOUT: timeout,
    UND_ERR_SOCKET: cut,
    ECONNRESET: cut,
  };
  return known[code] ?? `the connection failed; check ${route}`;
}

/** The error below wrappers, or the first of several addresses that were tried. */
function root(cause: unknown): Error {
  if (cause instanceof ProxyFailure && cause.cause instanceof Error) return root(cause.cause);
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return root(cause.errors[0]);
  return cause instanceof Error ? cause : new Error(String(cause));
}
