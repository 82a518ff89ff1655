import { parseCookie } from "undici";

/** As many cookies as a browser keeps for a host at least (RFC 6265, section 6.1). */
const MAX_COOKIES = 50;

/** The cookies of one connection, which are kept in memory as long as it. Each request goes to one host and below one path. */
export class Cookies {
  readonly #valuesByName = new Map<string, string>();

  get header(): string | undefined {
    return [...this.#valuesByName].map(([name, value]) => `${name}=${value}`).join("; ") || undefined;
  }

  /** @param lines the values of the `Set-Cookie` lines of a response */
  keep(lines: string | readonly string[]): void {
    for (const line of [lines].flat()) {
      const { name = "", value = "", maxAge, expires } = parseCookie(line) ?? {};
      this.#valuesByName.delete(name);
      const isExpired = maxAge === undefined ? expires !== undefined && Number(expires) <= Date.now() : maxAge <= 0;
      const isKept = name !== "" && !isExpired && this.#valuesByName.size < MAX_COOKIES;
      if (isKept) this.#valuesByName.set(name, value);
    }
  }
}
