import { buildConnector, Client, type EnvHttpProxyAgent } from "undici";
import { AgentLogConfigError } from "./errors.ts";

/** A proxy that can't be reached (`cause` is set) or refuses the tunnel (`status` is set). */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  /** Host and port of the proxy. */
  readonly host: string;
  /** The environment variable that names the proxy. */
  readonly variable: string;
  readonly status: number | undefined;

  constructor({ host, variable }: Proxy, { cause, status }: { readonly cause?: unknown; readonly status?: number }) {
    super(`The proxy ${host} failed.`, { cause });
    this.host = host;
    this.variable = variable;
    this.status = status;
  }
}

type Proxy = Pick<ProxyFailure, "host" | "variable">;

/**
 * Returns the proxy options of undici's agent for a service of this protocol, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY in
 * either case; undefined where no proxy is set. A proxy that fails is reported as a {@link ProxyFailure}.
 * @param limits what undici does not pass on to connections that carry plain http to a proxy
 * @throws AgentLogConfigError `ERR_INVALID_SETTINGS` that names the variable whose value can't be used
 */
export function environmentProxy(
  protocol: string,
  limits: Client.Options,
  connect: buildConnector.BuildOptions & { readonly timeout: number },
): EnvHttpProxyAgent.Options | undefined {
  const names = ["http_proxy", "HTTP_PROXY"];
  if (protocol === "https:") names.unshift("https_proxy", "HTTPS_PROXY");
  const variable = names.find((name) => process.env[name]);
  if (variable === undefined) return undefined;
  const url = readAddress(variable);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const proxy = { variable, host: `${url.hostname}:${port}` };
  return {
    httpProxy: url.href,
    httpsProxy: url.href,
    // Without it, undici would read the environment at every request.
    noProxy: process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "",
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (origin, options) =>
      openTunnels(proxy, new Client(origin, { ...options, headersTimeout: connect.timeout })),
    factory: (origin, options) => {
      const isProxy = new URL(origin).origin === url.origin;
      if (!isProxy) return new Client(origin, options);
      // Some proxies close a connection after a response without a word, so that each request gets a new one.
      return new Client(origin, { ...limits, pipelining: 0, connect: proxyConnector(proxy, connect) });
    },
  };
}

/** Lets a client report a tunnel that could not be opened as the failure of the proxy. */
function openTunnels(proxy: Proxy, client: Client): Client {
  const connect = client.connect.bind(client);
  return Object.assign(client, {
    async connect(options: Parameters<Client["connect"]>[0]) {
      const tunnel = await connect(options).catch((cause: unknown) => {
        throw new ProxyFailure(proxy, { cause });
      });
      if (tunnel.statusCode === 200) return tunnel;
      tunnel.socket.on("error", () => {}).destroy();
      throw new ProxyFailure(proxy, { status: tunnel.statusCode });
    },
  });
}

/** Connects to a proxy that forwards plain http. */
function proxyConnector(proxy: Proxy, options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (cause, socket) => {
      if (cause === null) callback(null, socket);
      else callback(new ProxyFailure(proxy, { cause }), null);
    });
}

function readAddress(variable: string): URL {
  const text = process.env[variable] ?? "";
  try {
    // As other programs do, it takes host:port as well.
    const url = new URL("/", text.includes("://") ? text : `http://${text}`);
    // undici decodes user and password, and fails where that is impossible.
    decodeURIComponent(url.username + url.password);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {}
  // Nothing is quoted, because the value may contain a password.
  throw new AgentLogConfigError(
    "ERR_INVALID_SETTINGS",
    `The environment variable ${variable} is not the address of an http or https proxy. Set it to an address such as http://user:password@proxy.example.com:3128, with special characters of user and password percent-encoded, or unset it.`,
  );
}
