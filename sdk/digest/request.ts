import { stringify } from "node:querystring";
import type { Dispatcher } from "undici";
import { DigestError } from "./digest-error.ts";
import { printable } from "./printable.ts";

type RequestHeaders = Dispatcher.DispatchOptions["headers"];

/** Adds the header to a copy; `headers` has any of the shapes that undici takes. */
export function withAuthorization(headers: RequestHeaders, value: string): NonNullable<RequestHeaders> {
  if (headers == null) return { authorization: value };
  if (Array.isArray(headers)) return [...headers, "authorization", value];
  if (isIterable(headers)) return [...Array.from(headers).flatMap(flatten), "authorization", value];
  return { ...headers, authorization: value };
}

export function hasAuthorization(headers: RequestHeaders): boolean {
  return headers != null && names(headers).some((name) => name.length === 13 && name.toLowerCase() === "authorization");
}

function names(headers: NonNullable<RequestHeaders>): string[] {
  if (Array.isArray(headers)) return headers.filter((_, index) => index % 2 === 0);
  if (isIterable(headers)) return Array.from(headers, ([name]) => name);
  return Object.keys(headers);
}

function flatten([name, values]: [string, string | string[] | undefined]): string[] {
  return [values ?? []].flat().flatMap((value) => [name, value]);
}

function isIterable(
  headers: NonNullable<RequestHeaders>,
): headers is Iterable<[string, string | string[] | undefined]> {
  return Symbol.iterator in headers && typeof headers[Symbol.iterator] === "function";
}

/** Moves the query into the path, as undici sends it. undici refuses a query beside one that is in the path. */
export function withQueryInPath(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  if (options.query == null || /[?#]/.test(options.path)) return options;
  const { query, path, ...rest } = options;
  const search = stringify(query);
  return search === "" ? options : { ...rest, path: `${path}?${search}` };
}

/** Tells from the context of a request whether an interceptor has followed a redirect. */
export function hasFollowedRedirect(context: unknown): boolean {
  if (typeof context !== "object" || context === null || !("history" in context)) return false;
  return Array.isArray(context.history) && context.history.length > 0;
}

/**
 * Refuses to send a request again whose body can be read only once.
 * @throws {@link DigestError} `ERR_DIGEST_BODY_NOT_REPLAYABLE`
 */
export function refuseStream({ origin, method, path, body }: Dispatcher.DispatchOptions): void {
  const isObject = typeof body === "object" && body !== null;
  if (!isObject || !("next" in body || "pipe" in body || Symbol.asyncIterator in body)) return;
  const request = printable(`${method} ${origin}${path.replace(/\?.*/s, "")}`);
  throw new DigestError(
    "ERR_DIGEST_BODY_NOT_REPLAYABLE",
    `The server refused ${request}, and the stream in its body can't be sent again: send a string or a buffer, or make a request without a body first.`,
  );
}
