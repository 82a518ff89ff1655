import { DigestError } from "../digest/index.ts";
import { AgentLogConfigError } from "./errors.ts";

/** Says what a request that got no answer failed of, and what to do about it; `failure` is how the message begins. */
export function connectionError(cause: unknown, failure: string): AgentLogConfigError {
  const error = root(cause);
  // undici's parser keeps in it what it could not read, which may be settings.
  if ("data" in error) Reflect.deleteProperty(error, "data");
  if (error instanceof DigestError)
    return new AgentLogConfigError("ERR_AUTHENTICATION", `${failure}: ${error.message}`, { cause });
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return new AgentLogConfigError(
      "ERR_INVALID_RESPONSE",
      `${failure}: the answer is longer than 1 MiB; check baseUrl.`,
      { cause },
    );
  }
  if (code === "UND_ERR_CLOSED" || code === "UND_ERR_DESTROYED") {
    return new AgentLogConfigError("ERR_REFUSED", `${failure}: the client is closed; open another one.`, { cause });
  }
  const tls = TLS_ADVICE[code];
  if (tls !== undefined) return new AgentLogConfigError("ERR_TLS", `${failure}: ${tls} (${code}).`, { cause });
  const advice = CONNECTION_ADVICE[code] ?? "the connection failed; check baseUrl, the network and HTTPS_PROXY";
  return new AgentLogConfigError("ERR_CONNECTION", `${failure}: ${advice} (${code || error.message}).`, { cause });
}

const UNTRUSTED =
  "its certificate comes from an authority that is not trusted here; set caCertificate to that authority's certificate";
const NO_TLS = "the port speaks no TLS; check the port and the scheme of baseUrl";

const TLS_ADVICE: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself; set caCertificate to that certificate",
  CERT_HAS_EXPIRED: "its certificate has expired; it has to be renewed on the service",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clocks here and there",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name; check the host of baseUrl",
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

const CONNECTION_ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: "its host name is unknown; check the host of baseUrl",
  EAI_AGAIN: "its host name can't be looked up now; check the network",
  ECONNREFUSED: "nothing listens there; check the port of baseUrl, and whether the service runs",
  EHOSTUNREACH: "there is no route to it; check the network and HTTPS_PROXY",
  ENETUNREACH: "there is no route to it; check the network and HTTPS_PROXY",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer; check the network, a firewall on the way and HTTPS_PROXY",
  UND_ERR_SOCKET: "the connection was cut; try again, and check proxies on the way",
  ECONNRESET: "the connection was cut; try again, and check proxies on the way",
};

/** The error below wrappers, or the first of several addresses that were tried. */
function root(cause: unknown): Error {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return root(cause.errors[0]);
  return cause instanceof Error ? cause : new Error(String(cause));
}
