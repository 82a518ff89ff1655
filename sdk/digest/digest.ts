import type { Dispatcher } from "undici";
import { DigestHandler } from "./digest-handler.ts";
import { DigestSession } from "./digest-session.ts";
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
 * Makes an interceptor for any dispatcher of undici 7 or 8 that responds to HTTP Digest challenges.
 *
 * The first request to an origin is sent without credentials and gets a challenge; requests made meanwhile wait for it.
 * From then on, each request carries its credentials and takes one round trip. Requests to an origin that is not named,
 * and those with an `Authorization` header of their own, pass through unchanged.
 *
 * A wrong user name or password costs two requests, and the caller gets the server's 401. A body is sent again if it is a
 * string, a buffer, a `Blob`, a `FormData`, or a stream of at most 64 KiB. A 401 to a longer stream is an error, so make a
 * request without a body first.
 *
 * Put interceptors that change the origin, such as `redirect`, in front: `compose(digest(...), interceptors.redirect(...))`.
 * A redirect that is followed below the interceptor carries the credentials of the first target, which fail, or none.
 * `dns` replaces the origin by an address, so put it below: `compose(interceptors.dns(), digest(...))`. With undici before
 * 8.12, requests of a `Client` or `Pool` have to name their `origin`. Node's own `fetch` takes a dispatcher of undici 8 only
 * through `setGlobalDispatcher(dispatcher)` or as `new Dispatcher1Wrapper(dispatcher)`, both of undici.
 *
 * @param options the credentials, and the origins that get them
 * @returns what `dispatcher.compose` takes; each interceptor has nonces of its own
 * @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` for options that can't work
 * @throws {@link DigestError}, as the failure of a request, for a challenge that is not supported
 * @see RFC 7616, and RFC 2617 and RFC 2069 for older servers
 * @example
 * ```ts
 * import { digest } from "pulumi-agent-log-config/digest";
 * import { Agent, request } from "undici";
 *
 * const origin = "https://example.com:8443";
 * const credentials = { username: "publickey", password: "private-key" };
 * const dispatcher = new Agent().compose(digest({ ...credentials, origins: [origin] }));
 * const { statusCode, body } = await request(`${origin}/status`, { dispatcher });
 * ```
 */
export function digest(options: DigestOptions): Dispatcher.DispatcherComposeInterceptor {
  const { origins, ...credentials } = readOptions(options);
  const sessions = new Map(origins.map((origin) => [origin, new ImpatientSession(credentials)]));
  const sessionOf = (origin: string | URL | undefined) =>
    origin === undefined ? undefined : (sessions.get(String(origin)) ?? sessions.get(originOf(origin)));

  return (dispatch) => (request, handler) => {
    const session = sessionOf(request.origin);
    if (session === undefined || hasAuthorization(request.headers)) return dispatch(request, handler);
    if (typeof handler.onRequestStart !== "function") {
      throw invalidArgument(
        "a request came in the form of an older undici: Node's own fetch needs setGlobalDispatcher(dispatcher) or { dispatcher: new Dispatcher1Wrapper(dispatcher) }, both of undici 8; undici 6 and older are not supported",
      );
    }
    const isAccepted = new DigestHandler(dispatch, request, handler, session).start();
    session.watch();
    return isAccepted;
  };
}

/** How long requests wait for the first nonce before more of them probe: first one more, then two, four and so on. */
const PATIENCE_MILLISECONDS = 500;

/** A session with a timer, because the connection of the request that probes may hang. */
class ImpatientSession extends DigestSession {
  #isTimed = false;

  /** Starts the timer if requests wait. It does not keep the process alive. */
  watch(): void {
    if (this.#isTimed || this.waiting.size === 0) return;
    this.#isTimed = true;
    const hurry = () => {
      this.#isTimed = false;
      this.hurry();
      this.watch();
    };
    setTimeout(hurry, PATIENCE_MILLISECONDS).unref();
  }
}

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
