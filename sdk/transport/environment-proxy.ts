import { isIP } from "node:net";
import { AgentLogConfigError } from "../model/errors.ts";

/** The proxy that the environment names for a service. */
export interface EnvironmentProxy {
  readonly url: URL;
  /** Host and port, without a port that is the default. */
  readonly host: string;
  /** The environment variable that has the address. */
  readonly variable: string;
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
