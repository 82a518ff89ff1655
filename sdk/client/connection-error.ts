import { errors } from "undici";
import { DigestError } from "../digest/index.ts";
import { TOO_LONG } from "./decode-body.ts";
import { AgentLogConfigError } from "./errors.ts";
import { ProxyFailure } from "./proxy-failure.ts";
import type { Advice } from "./service-error.ts";

/**
 * Says what a request that got no answer failed of, and what to do about it.
 * @param failure how the message begins
 * @param hasCaCertificate a `caCertificate` was given
 */
export function connectionError(cause: unknown, failure: string, hasCaCertificate: boolean): AgentLogConfigError {
  const error = root(cause);
  // undici's parser keeps in it what it could not read, which may be settings.
  if ("data" in error) Reflect.deleteProperty(error, "data");
  const proxyFailure = cause instanceof ProxyFailure ? cause : undefined;
  const [code, says] = adviceOn(error, proxyFailure, hasCaCertificate);
  return new AgentLogConfigError(code, `${failure}: ${says}`, { cause: cause instanceof Error ? cause : undefined });
}

function adviceOn(error: Error, proxyFailure: ProxyFailure | undefined, hasCaCertificate: boolean): Advice {
  if (error instanceof DigestError) return ["ERR_AUTHENTICATION", error.message];
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
    return ["ERR_INVALID_RESPONSE", `the answer ${TOO_LONG}; check baseUrl.`];
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return ["ERR_INVALID_RESPONSE", "the headers of the answer are too long; check baseUrl."];
  const { proxy, status } = proxyFailure ?? {};
  if (proxyFailure !== undefined && status !== undefined) {
    const says = `the proxy ${proxyFailure.proxy.host} ${proxyAdvice(proxyFailure, status)} (status ${status}).`;
    return [status >= 500 ? "ERR_CONNECTION" : "ERR_PROXY", says];
  }
  const setting = proxy?.variable ?? "baseUrl";
  const begin = proxy === undefined ? "" : `the proxy ${proxy.host} can't be used: `;
  const tls = tlsAdvice(code, setting, hasCaCertificate && proxy === undefined);
  if (tls !== undefined) return ["ERR_TLS", `${begin}${tls} (${code}).`];
  const says = peerAdvice(error, setting) ?? connectionAdvice(code, setting);
  return ["ERR_CONNECTION", `${begin}${says} (${code || error.message}).`];
}

function proxyAdvice({ proxy: { variable, hasCredentials }, challenge }: ProxyFailure, status: number): string {
  if (status >= 500) return "can't reach the service; check the host and port of baseUrl, and the network of the proxy";
  if (status === 403) {
    return "refuses to connect to the service; allow its host and port on the proxy, or name the host in NO_PROXY";
  }
  // Some proxies answer wrong credentials with 401.
  if (status !== 407 && status !== 401)
    return `opens no tunnel to the service; check that ${variable} is the address of a proxy`;
  if (!/\bbasic\b/i.test(challenge ?? "basic")) {
    return "wants credentials of another kind than Basic, which this client can't give; use another proxy, or name the service's host in NO_PROXY";
  }
  return hasCredentials
    ? `refuses the user or password in ${variable}; check them`
    : `wants credentials; put user and password into ${variable}`;
}

function tlsAdvice(code: string, setting: string, caCertificateGiven: boolean): string | undefined {
  const given = caCertificateGiven ? " and is not the one in caCertificate" : "";
  const unknownAuthority = `its certificate comes from an authority that is not trusted here${given}; set caCertificate to that authority's certificate`;
  const noTls = `the port speaks no TLS; check the port and the scheme of ${setting}`;
  const tooOld = "it speaks only versions of TLS that are too old; let it speak TLS 1.2 or 1.3";
  const wantsCertificate = "it wants a certificate from its client, and this client sends none";
  const noHandshake = `${wantsCertificate}, or it has no cipher in common with it; let it do without the one, and allow the usual ciphers`;
  const known: Readonly<Record<string, string>> = {
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${unknownAuthority}, or let the service send the intermediate certificates too`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
    SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
    UNABLE_TO_GET_ISSUER_CERT:
      "its certificate comes from an intermediate authority whose root is not trusted here; set caCertificate to the root's certificate",
    DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is signed by itself${given}; set caCertificate to that certificate`,
    CERT_SIGNATURE_FAILURE:
      "its certificate names an authority that did not sign it; set caCertificate to that authority's present certificate",
    CERT_HAS_EXPIRED: "its certificate or that of its authority has expired; it has to be renewed on the service",
    CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clocks here and there",
    ERR_TLS_CERT_ALTNAME_INVALID: `its certificate is for another host name; check the host of ${setting}`,
    ERR_SSL_WRONG_VERSION_NUMBER: noTls,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
    ERR_SSL_UNSUPPORTED_PROTOCOL: tooOld,
    ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: tooOld,
    ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: `${wantsCertificate}; let it do without`,
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: noHandshake,
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": noHandshake,
  };
  return known[code] ?? (/^ERR_(SSL|TLS)_/.test(code) ? `TLS failed; check how ${setting} speaks it` : undefined);
}

/** Of what the other side did once it was connected. */
function peerAdvice(error: Error, setting: string): string | undefined {
  if (error instanceof errors.HTTPParserError) {
    return `what it answers is no HTTP; check the port and the scheme of ${setting}`;
  }
  // undici does not see the alert with which TLS 1.3 asks for a client's certificate.
  if (error instanceof errors.SocketError && error.socket?.bytesRead === 0) {
    return `the connection was cut before any answer; try again, and check the port and the scheme of ${setting}, proxies on the way, and that it wants no certificate from its client, as this client sends none`;
  }
  return undefined;
}

function connectionAdvice(code: string, setting: string): string {
  const direct = setting === "baseUrl";
  const route = direct ? "baseUrl, the network and HTTPS_PROXY" : `${setting} and the network`;
  const timeout = `it does not answer; check a firewall on the way, ${route}`;
  const noRoute = `there is no route to it; check ${route}`;
  const cut = `the connection was cut; try again, and check the scheme of ${setting} and proxies on the way`;
  const known: Readonly<Record<string, string>> = {
    ENOTFOUND: `its host name is unknown; check the host of ${setting}`,
    EAI_AGAIN: "its host name can't be looked up now; check the network",
    ECONNREFUSED: `nothing listens there; check the port of ${setting}, and whether the ${direct ? "service" : "proxy"} runs`,
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
