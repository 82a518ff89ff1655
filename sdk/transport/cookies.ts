import { parseCookie } from "undici";

/** As many cookies as a browser keeps for a host at least (RFC 6265, section 6.1). */
const MAX_COOKIES = 50;

/** The cookies of one connection, which are kept in memory as long as it. */
export class Cookies {
  readonly #values = new Map<string, string>();

  /** The value of the `Cookie` header; undefined if there are none. */
  get header(): string | undefined {
    if (this.#values.size === 0) return undefined;
    return Array.from(this.#values, ([name, value]) => `${name}=${value}`).join("; ");
  }

  /**
   * Keeps those that belong to a request, and leaves out those of other paths and hosts (RFC 6265, sections 5.1.3 and 5.1.4).
   * @param lines the values of the `Set-Cookie` lines of the response to it
   */
  keep(lines: string | readonly string[], { hostname, pathname }: URL): void {
    for (const line of [lines].flat()) {
      const { name = "", value = "", maxAge, expires, path = "", domain = "" } = parseCookie(line) ?? {};
      const folder = path.startsWith("/") ? path.replace(/\/?$/, "/") : "/";
      const host = domain.replace(/^\./, "").toLowerCase();
      const isOfHost = host === "" || `.${hostname}`.endsWith(`.${host}`);
      if (!isOfHost || !`${pathname}/`.startsWith(folder)) continue;
      this.#values.delete(name);
      const isExpired = maxAge === undefined ? expires !== undefined && Number(expires) <= Date.now() : maxAge <= 0;
      if (name !== "" && !isExpired && this.#values.size < MAX_COOKIES) this.#values.set(name, value);
    }
  }
}
