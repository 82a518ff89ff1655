import { Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { parseChallenges } from "../digest/digest-scheme.ts";
import type { WireResponse } from "../digest/signed-request.ts";
import type { EnvironmentProxy } from "./environment-proxy.ts";

/** A proxy that can't be reached (`cause` is set) or denies a connection to the service (`status` is set). */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
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
