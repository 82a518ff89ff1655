import { isIP, Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { parseChallenges } from "../digest/digest-scheme.ts";
import type { WireResponse } from "../digest/signed-request.ts";
import { AgentLogConfigError } from "../model/errors.ts";

/** A proxy that can't be reached (`cause` is set) or denies a connection to the service (`status` is set). */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** Host and port of the proxy, without a port that is the default. */
  readonly host: string;
  readonly variable: string;
  readonly status: number | undefined;
  /** The schemes of authentication that the proxy offers. */
  readonly schemes: readonly string[];
  /** The address of the proxy has a user or a password. */
  readonly hasCredentials: boolean;

  constructor(
    { host, variable, url }: EnvironmentProxy,
    { cause, status, headers = {} }: { readonly cause?: unknown } & Partial<Pick<WireResponse, "status" | "headers">>,
  ) {
    super(`The proxy ${host} failed.`, { cause });
    this.host = host;
    this.variable = variable;
    this.status = status;
    const challenges = [headers["proxy-authenticate"] ?? []].flat().flatMap((line) => parseChallenges(line).challenges);
    this.schemes = challenges.map(({ scheme }) => scheme);
    this.hasCredentials = url.username !== "" || url.password !== "";
  }
}

/** The proxy that the environment names for a service. */
export interface EnvironmentProxy extends Pick<ProxyError, "host" | "variable"> {
  readonly url: URL;
  /** The proxy forwards requests over plain http, so a response may come from the proxy itself. Otherwise it opens tunnels. */
  readonly isForwarding: boolean;
}

/**
 * Returns the proxy for a service, from HTTPS_PROXY, or from HTTP_PROXY for plain http, in either case; undefined if it is not set, or
 * if NO_PROXY lists the service.
 * @throws AgentLogConfigError `ERR_INVALID_SETTINGS` that names the variable whose value can't be used
 */
export function environmentProxy(service: URL): EnvironmentProxy | undefined {
  const isForwarding = service.protocol === "http:";
  const names = isForwarding ? ["http_proxy", "HTTP_PROXY"] : ["https_proxy", "HTTPS_PROXY"];
  const variable = names.find((name) => process.env[name]);
  if (variable === undefined) return undefined;
  const url = parseProxyAddress(variable);
  const excludedHosts = process.env["no_proxy"] || process.env["NO_PROXY"] || "";
  return isListed(service, excludedHosts) ? undefined : { url, variable, host: url.host, isForwarding };
}

/** Returns a connector that reaches the service through a tunnel. If the proxy opens none, the error is a {@link ProxyError}. */
export function tunnelConnector(
  proxy: EnvironmentProxy,
  openSocket: buildConnector.connector,
  timeoutMilliseconds: number,
): buildConnector.connector {
  return (target, callback) => {
    const { host = target.hostname } = target;
    const path = target.port === "" ? `${host}:443` : host;
    const client = new Client(proxy.url.origin, { connect: openSocket, headersTimeout: timeoutMilliseconds });
    client.connect({ path, headers: { host: path, ...credentialsFor(proxy) } }).then(
      ({ statusCode: status, headers, socket }) => {
        // RFC 9110, section 9.3.6.
        const isOpen = status >= 200 && status < 300;
        if (isOpen && socket instanceof Socket) return openSocket({ ...target, httpSocket: socket }, callback);
        socket.on("error", () => {}).destroy();
        callback(new ProxyError(proxy, { status, headers }), null);
      },
      (cause) => callback(new ProxyError(proxy, { cause }), null),
    );
  };
}

/** Returns a connector to a proxy that forwards plain http. If that fails, the error is a {@link ProxyError}. */
export function proxyConnector(
  proxy: EnvironmentProxy,
  openSocket: buildConnector.connector,
): buildConnector.connector {
  return (target, callback) => {
    openSocket(target, (cause, socket) => {
      if (cause === null) callback(null, socket);
      else callback(new ProxyError(proxy, { cause }), null);
    });
  };
}

/** Lets a dispatcher send its requests to a proxy, which forwards them. */
export function forwardThrough(proxy: EnvironmentProxy, dispatcher: Dispatcher): Dispatcher {
  return dispatcher.compose((dispatch) => ({ origin, path, headers, ...others }, handler) => {
    const { href, host } = new URL(path, origin);
    return dispatch({ ...others, path: href, headers: { ...headers, host, ...credentialsFor(proxy) } }, handler);
  });
}

function credentialsFor({ url: { username, password } }: EnvironmentProxy): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const credentials = decodeURIComponent(`${username}:${password}`);
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** Tells whether a list has the host of a service, a domain above it or *. Above an address there is no domain. */
function isListed({ hostname, port, protocol }: URL, list: string): boolean {
  const servicePort = port || (protocol === "https:" ? "443" : "80");
  const host = `.${hostname.replace(/^\[|[\].]$/g, "")}`;
  return list.split(/[\s,]+/).some((entry) => {
    const [, address, name = address, entryPort = servicePort] = ENTRY.exec(entry.toLowerCase()) ?? [];
    if (name === undefined || entryPort !== servicePort) return false;
    const domain = `.${name.replace(/^\*?\.|\.$/g, "")}`;
    const isAbove = isIP(host.slice(1)) === 0 && host.endsWith(domain);
    return name === "*" || (host === domain ? !name.startsWith("*") : isAbove);
  });
}

/** An entry of NO_PROXY: a name or an address, perhaps with a port. An IPv6 address with a port is in brackets. */
const ENTRY = /^(?:\[(.+)\]|([^:]+|.*:.*:.*))(?::(\d+))?$/;

function parseProxyAddress(variable: string): URL {
  const text = process.env[variable] ?? "";
  try {
    // As other programs do, it takes host:port as well.
    const url = new URL("/", text.includes("://") ? text : `http://${text}`);
    decodeURIComponent(`${url.username}:${url.password}`);
    // A URL ends the host at each of these characters, so a part of the user or the password would be the host.
    const hasEarlyEnd = /\\|[/?#].*@/s.test(text.replace(/^.*?:\/\//s, ""));
    if (/^https?:$/.test(url.protocol) && !hasEarlyEnd) return url;
  } catch {}
  // Nothing is quoted, because the value may contain a password.
  throw new AgentLogConfigError(
    "ERR_INVALID_SETTINGS",
    `The environment variable ${variable} is not the address of an http or https proxy. Set it to an address such as http://user:password@proxy.example.com:3128, with special characters of user and password percent-encoded (a backslash is %5C), or unset it.`,
  );
}
