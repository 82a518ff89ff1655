import type { Dispatcher } from "undici";
import { invalidArgument } from "./invalid-argument.ts";

/** Whether an origin may be given an answer to its challenge. */
export type IsTrusted = (
  origin: string,
  request: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
) => boolean;

/** Trusts the origins that are named; where none are, each one that a request is made to and not redirected to. */
export function trustedOrigins(origins: readonly string[] | undefined): IsTrusted {
  if (origins === undefined) return trustUnlessRedirected();
  const named = readOrigins(origins);
  return (origin) => named.has(origin);
}

function readOrigins(origins: readonly string[]): ReadonlySet<string> {
  if (!Array.isArray(origins)) throw invalidArgument("origins must be an array of URLs");
  const read = origins.map((origin) => URL.parse(origin)?.origin ?? "null");
  if (read.includes("null")) {
    throw invalidArgument(`origins must be URLs such as https://example.com:8443, not ${origins.join(", ")}`);
  }
  return new Set(read);
}

/** RFC 7616, section 5.7: what is meant for one server must not be told to another. */
function trustUnlessRedirected(): IsTrusted {
  const firstOrigins = new WeakMap<object, string>();
  return (origin, request, handler) => {
    const redirected = isRedirected(request, origin);
    if (!("handler" in handler)) return !redirected;
    const caller = outermost(handler);
    const first = firstOrigins.get(caller);
    if (first !== undefined) return first === origin;
    firstOrigins.set(caller, redirected ? "unknown" : origin);
    return !redirected;
  };
}

/**
 * True for what undici's redirect interceptor sends on. Only where another interceptor hides the caller's handler is
 * that all there is to see of a redirect; then not even one within the origin is trusted.
 */
function isRedirected(request: Dispatcher.DispatchOptions, origin: string): boolean {
  return Object.getOwnPropertySymbols(request).some(
    (symbol) => symbol.description === "request origin" && Reflect.get(request, symbol) === origin,
  );
}

/** The handler of the caller, below which undici's retry and redirect handlers put their own. */
function outermost(handler: object): object {
  return "handler" in handler && typeof handler.handler === "object" && handler.handler !== null
    ? outermost(handler.handler)
    : handler;
}
