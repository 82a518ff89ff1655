import type { Dispatcher } from "undici";
import { DigestHandler } from "./digest-handler.ts";
import { DigestExchange, DigestKey, DigestSession } from "./digest-session.ts";
import { printable } from "./printable.ts";
import { hasAuthorization } from "./request.ts";
import type { Credentials } from "./signer.ts";

/** The credentials, and the origins that receive them. */
export interface DigestOptions {
  /** The user name, without control characters. */
  readonly username: string;
  /** The password. It appears neither in errors nor on the wire. */
  readonly password: string;
  /** The origins that get credentials, at least one, such as `https://example.com:8443`. A path after it is ignored. */
  readonly origins: readonly string[];
}

/**
 * Makes an interceptor for the dispatchers of undici 7 and 8 that responds to HTTP Digest challenges.
 *
 * Compose it on a `Client`, which is one connection: its nonce then stays with the server that made it, also behind a load
 * balancer. The first request gets a challenge and is sent again; each later one takes one round trip. An `Agent` makes such
 * clients in a factory, as in the example. On a whole `Agent` or `Pool`, connections share a nonce, and each request that
 * starts before the first one is known gets a challenge. That works with a server that takes nonce counts in any order, as
 * most do, but not with nonces for one request, with counts in strict order or by opaque, or behind a load balancer.
 *
 * Requests to an origin that is not named, and those with an `Authorization` header of their own, pass through unchanged. A
 * wrong user name or password costs two requests, and the caller gets the server's 401. Once the credentials have been
 * accepted, a refusal may have another reason, so that three more nonces are tried. A body is sent again if it is a string, a
 * buffer, a `Blob` or a `FormData`. A 401 to a stream is an error, so make a request without a body first; the `fetch` of
 * undici makes a stream of every body.
 *
 * Put interceptors that change the origin, such as `redirect`, in front: `compose(digest(...), interceptors.redirect(...))`.
 * A redirect that is followed below the interceptor carries the credentials of the first target, which fail, or none.
 * `dns` replaces the origin by an address, so put it below: `compose(interceptors.dns(), digest(...))`. With undici before
 * 8.12, requests of a `Client` or `Pool` have to name their `origin`. Node's own `fetch` takes a dispatcher of undici 8 only
 * through `setGlobalDispatcher(dispatcher)` or as `new Dispatcher1Wrapper(dispatcher)`, both of undici.
 *
 * @param options the credentials, and the origins that get them
 * @returns what `compose` takes; each dispatcher that it is composed on has nonces of its own
 * @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` for options that can't work
 * @throws {@link DigestError}, as the failure of a request, for a challenge that is not supported
 * @see RFC 7616, and RFC 2617 and RFC 2069 for older servers
 * @example
 * ```ts
 * import { digest } from "pulumi-agent-log-config/digest";
 * import { Agent, Client, Pool } from "undici";
 *
 * const origin = "https://example.com:8443";
 * const interceptor = digest({ username: "publickey", password: "private-key", origins: [origin] });
 * const client = new Client(origin).compose(interceptor);
 * const { statusCode, body } = await client.request({ path: "/status", method: "GET" });
 * const open = (url: URL, options: object) => new Client(url, options).compose(interceptor);
 * const agent = new Agent({ factory: (url, options) => new Pool(url, { ...options, connections: 16, factory: open }) });
 * ```
 */
export function digest(options: DigestOptions): Dispatcher.DispatcherComposeInterceptor {
  const { origins, ...credentials } = readOptions(options);
  const keys = origins.map((origin) => [origin, new DigestKey(credentials)] as const);
  return (dispatch) => {
    const sessions = new Map(keys.map(([origin, key]) => [origin, new DigestSession(key)]));
    return (request, handler) => {
      const session = sessions.get(String(request.origin)) ?? sessions.get(originOf(request.origin ?? ""));
      if (session === undefined || hasAuthorization(request.headers)) return dispatch(request, handler);
      if (typeof handler.onRequestStart !== "function") throw invalidArgument(OLD_UNDICI);
      return new DigestHandler(dispatch, request, handler, new DigestExchange(session)).send();
    };
  };
}

const OLD_UNDICI =
  "a request came in the form of an older undici: Node's own fetch needs setGlobalDispatcher(dispatcher) or { dispatcher: new Dispatcher1Wrapper(dispatcher) }, both of undici 8; undici 6 and older are not supported";

function readOptions(options: DigestOptions | undefined): Credentials & { readonly origins: readonly string[] } {
  const { username, password, origins, ...unknown } = options ?? {};
  const names = Object.keys(unknown);
  if (names.length > 0) {
    throw invalidArgument(
      `unknown options: ${printable(names.join(", "))}; the valid ones are username, password, origins`,
    );
  }
  // RFC 9110, section 5.5: a control character would end the header that carries the name. RFC 8187 can't encode half a character.
  if (typeof username !== "string" || username === "" || /[\p{Cc}\p{Cs}]/u.test(username)) {
    throw invalidArgument("username must be a string with at least one character and no control characters");
  }
  if (typeof password !== "string") throw invalidArgument("password must be a string");
  if (!Array.isArray(origins) || origins.length === 0) {
    throw invalidArgument("origins must be an array with at least one URL such as https://example.com:8443");
  }
  return { username, password, origins: origins.map(readOrigin) };
}

function readOrigin(url: unknown): string {
  const origin = originOf(String(url));
  if (/^https?:/.test(origin)) return origin;
  throw invalidArgument(`origins must be URLs such as https://example.com:8443, not ${printable(String(url))}`);
}

/** The origin as URLs spell it; empty if it is none. */
function originOf(url: string | URL): string {
  return URL.parse(url)?.origin ?? "";
}

function invalidArgument(message: string): TypeError {
  return Object.assign(new TypeError(`digest(): ${message}.`), { code: "ERR_INVALID_ARG_VALUE" });
}
