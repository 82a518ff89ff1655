import { type buildConnector, Client, EnvHttpProxyAgent } from "undici";
import { AgentLogConfigError } from "../model/errors.ts";

/** A proxy that can't be reached (`cause` is set) or refuses the tunnel (`status` is set). */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** Host and port of the proxy, without a port that is the default. */
  readonly host: string;
  /** The environment variable that names the proxy. */
  readonly variable: string;
  readonly status: number | undefined;

  constructor(
    { host, variable }: EnvironmentProxy,
    { cause, status }: { readonly cause?: unknown; readonly status?: number },
  ) {
    super(`The proxy ${host} failed.`, { cause });
    this.host = host;
    this.variable = variable;
    this.status = status;
  }
}

/** The proxy that the environment names. */
export interface EnvironmentProxy extends Pick<ProxyError, "host" | "variable"> {
  readonly url: URL;
  /**
   * What the proxy was used for; undefined if all requests went past it. If it forwards plain http, a response may come from the
   * proxy itself.
   */
  use?: "forwarding" | "tunnels";
}

/**
 * Returns the proxy for a service of this protocol, from HTTPS_PROXY and HTTP_PROXY in either case; undefined if none is set.
 * @throws AgentLogConfigError `ERR_INVALID_SETTINGS` that names the variable whose value can't be used
 */
export function environmentProxy(protocol: string): EnvironmentProxy | undefined {
  const names = ["http_proxy", "HTTP_PROXY"];
  if (protocol === "https:") names.unshift("https_proxy", "HTTPS_PROXY");
  const variable = names.find((name) => process.env[name]);
  if (variable === undefined) return undefined;
  const url = readAddress(variable);
  return { url, variable, host: url.host };
}

/**
 * Opens a dispatcher that goes through the proxy, unless NO_PROXY lists the service. A proxy that fails is reported as a
 * {@link ProxyError}.
 * @param timeoutMilliseconds how long the proxy may take to open a tunnel
 * @param newClient makes the client of the service, or of a proxy that forwards plain http
 */
export function openThroughProxy(
  proxy: EnvironmentProxy,
  limits: Client.Options,
  openSocket: buildConnector.connector,
  timeoutMilliseconds: number,
  newClient: (origin: string | URL, options: Client.Options) => Client,
): EnvHttpProxyAgent {
  const { origin: proxyOrigin, href } = proxy.url;
  const tunnelling = { ...limits, headersTimeout: timeoutMilliseconds, connect: openSocket };
  const forwarding = { ...limits, connect: proxyConnector(proxy, openSocket) };
  return new EnvHttpProxyAgent({
    ...limits,
    connect: openSocket,
    httpProxy: href,
    httpsProxy: href,
    // Without it, undici would read the environment at every request.
    noProxy: process.env["no_proxy"] || process.env["NO_PROXY"] || "",
    clientFactory: (origin) => openTunnels(proxy, new Client(origin, tunnelling)),
    // The client of a proxy that forwards plain http, or of the service: past the proxy, or through a tunnel.
    factory: (origin, options: Client.Options) => {
      if (new URL(origin).origin === proxyOrigin) {
        proxy.use = "forwarding";
        return newClient(origin, forwarding);
      }
      const { connect } = options;
      const isTunnel = typeof connect === "function" && connect !== openSocket;
      return newClient(origin, isTunnel ? { ...options, connect: tunnelConnector(connect, openSocket) } : options);
    },
  });
}

/** Lets a client report a tunnel that could not be opened as the failure of the proxy. */
function openTunnels(proxy: EnvironmentProxy, client: Client): Client {
  const connect = client.connect.bind(client);
  return Object.assign(client, {
    async connect(options: Parameters<Client["connect"]>[0]) {
      proxy.use = "tunnels";
      const tunnel = await connect(options).catch((cause: unknown) => {
        throw new ProxyError(proxy, { cause });
      });
      if (tunnel.statusCode === 200) return tunnel;
      tunnel.socket.on("error", () => {}).destroy();
      throw new ProxyError(proxy, { status: tunnel.statusCode });
    },
  });
}

/** Connects to a proxy that forwards plain http. */
function proxyConnector(proxy: EnvironmentProxy, openSocket: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    openSocket(target, (cause, socket) => {
      if (cause === null) callback(null, socket);
      else callback(new ProxyError(proxy, { cause }), null);
    });
}

/** Connects to the service through a tunnel. undici itself would not report the certificate that it refuses. */
function tunnelConnector(
  openTunnel: buildConnector.connector,
  openSocket: buildConnector.connector,
): buildConnector.connector {
  return (target, callback) => {
    const { host = target.hostname, port } = target;
    const [tunnelPort, authority] = port === "" ? ["443", `${host}:443`] : [port, host];
    // For a target over http, undici gives the socket as it is.
    openTunnel({ ...target, protocol: "http:", port: tunnelPort, host: authority }, (error, socket) => {
      if (error === null) openSocket({ ...target, httpSocket: socket }, callback);
      else callback(error, null);
    });
  };
}

function readAddress(variable: string): URL {
  const text = process.env[variable] ?? "";
  try {
    // As other programs do, it takes host:port as well.
    const url = new URL("/", text.includes("://") ? text : `http://${text}`);
    // undici decodes user and password, and fails if that is impossible.
    decodeURIComponent(`${url.username}:${url.password}`);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {}
  // Nothing is quoted, because the value may contain a password.
  throw new AgentLogConfigError(
    "ERR_INVALID_SETTINGS",
    `The environment variable ${variable} is not the address of an http or https proxy. Set it to an address such as http://user:password@proxy.example.com:3128, with special characters of user and password percent-encoded, or unset it.`,
  );
}
