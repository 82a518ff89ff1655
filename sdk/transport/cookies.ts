import { parseCookie } from "undici";

/** As many cookies as a browser keeps for a host at least (RFC 6265, section 6.1). */
const MAX_COOKIES = 50;

/** The cookies of one connection, which are kept in memory as long as it. */
export class Cookies {
  /** By name, domain and path, as browsers and curl keep them, with `name=value` and the length of the path. */
  readonly #cookies = new Map<string, readonly [pair: string, length: number]>();

  /** The value of the `Cookie` header; undefined if there are none. */
  get header(): string | undefined {
    const longestFirst = [...this.#cookies.values()].sort(([, a], [, b]) => b - a);
    return longestFirst.map(([pair]) => pair).join("; ") || undefined;
  }

  /**
   * Keeps those that belong to a request, and leaves out those of other paths and hosts (RFC 6265, sections 5.1.3 and 5.1.4).
   * @param lines the values of the `Set-Cookie` lines of the response to it
   */
  keep(lines: string | readonly string[], { hostname, pathname }: URL): void {
    for (const line of [lines].flat()) {
      const { name = "", value = "", maxAge, expires, path = "", domain = "" } = parseCookie(line) ?? {};
      const folder = path.startsWith("/") ? path.replace(/\/?$/, "/") : "/";
      const host = domain.replace(/^\.|\.$/g, "").toLowerCase();
      const isOfHost = host === "" || `.${hostname.replace(/\.$/, "")}`.endsWith(`.${host}`);
      if (!isOfHost || !`${pathname}/`.startsWith(folder)) continue;
      const key = [name, host, folder].join("\n");
      this.#cookies.delete(key);
      const isExpired = maxAge === undefined ? expires !== undefined && Number(expires) <= Date.now() : maxAge <= 0;
      const isKept = name !== "" && !isExpired && this.#cookies.size < MAX_COOKIES;
      if (isKept) this.#cookies.set(key, [`${name}=${value}`, folder.length]);
    }
  }
}
