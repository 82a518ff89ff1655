import { Client, type EnvHttpProxyAgent, Pool } from "undici";
import { type AgentLogConfigError, invalidArgument } from "./errors.ts";
import { proxyFailures } from "./proxy-failure.ts";

/**
 * The proxy options of undici's agent for a service of this protocol, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY in either
 * case, if there is a proxy; its failures arrive as `ProxyFailure`.
 * @param limits what undici does not hand on to connections that carry plain http to a proxy
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` that names the variable that holds no address of a proxy
 */
export function environmentProxy(
  protocol: string,
  limits: Pool.Options,
  connectMilliseconds: number,
): EnvHttpProxyAgent.Options | undefined {
  const variable = findVariable(protocol);
  if (variable === undefined) return undefined;
  const url = readAddress(variable);
  const token = basicToken(url, variable);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const proxy = { variable, host: `${url.hostname}:${port}`, hasCredentials: token !== undefined };
  const failures = proxyFailures(proxy);
  return {
    httpProxy: url.origin,
    httpsProxy: url.origin,
    // Left out, the environment would be asked for it at every request.
    noProxy: process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "",
    ...(token === undefined ? {} : { token }),
    // CONNECT is sent here.
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, headersTimeout: connectMilliseconds }).compose(failures),
    // Plain http is sent through a pool to the proxy, past what is composed around that pool.
    factory: (origin, options) =>
      new URL(origin).origin === url.origin
        ? new Pool(origin, { ...limits, ...options, factory: (to, given) => new Client(to, given).compose(failures) })
        : new Pool(origin, options),
  };
}

function findVariable(protocol: string): string | undefined {
  const names = ["http_proxy", "HTTP_PROXY"];
  if (protocol === "https:") names.unshift("https_proxy", "HTTPS_PROXY");
  return names.find((name) => process.env[name]);
}

function readAddress(variable: string): URL {
  const text = process.env[variable] ?? "";
  // As other programs do, it takes host:port as well.
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalidVariable(variable);
  return url;
}

function basicToken({ username, password }: URL, variable: string): string | undefined {
  if (username === "" && password === "") return undefined;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials).toString("base64")}`;
  } catch {
    throw invalidVariable(variable);
  }
}

/** Quotes nothing: the text may hold a password. */
function invalidVariable(variable: string): AgentLogConfigError {
  return invalidArgument(
    `The environment variable ${variable} is not the address of an http or https proxy. Give one such as http://user:password@proxy.example.com:3128, with special characters of user and password percent-encoded, or unset it.`,
  );
}
