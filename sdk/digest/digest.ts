import type { Dispatcher } from "undici";
import { DigestHandler } from "./digest-handler.ts";
import { invalidArgument } from "./invalid-argument.ts";
import type { Credentials } from "./nonce.ts";
import { NonceSession } from "./nonce-session.ts";
import { hasAuthorization } from "./request-headers.ts";
import { trustedOrigins } from "./trusted-origins.ts";

/** Whose password to prove, and to whom. */
export interface DigestOptions {
  /** The user name; no control characters. */
  readonly username: string;
  /** The password. It is never written to an error or to the wire. */
  readonly password: string;
  /**
   * The origins whose challenges are answered, such as `https://example.com:8443`. Default: every origin that a request
   * is made to, but none to which undici's redirect interceptor leads. Redirects that `fetch` follows can't be told from
   * requests of your own: name the origins where you use it.
   */
  readonly origins?: readonly string[];
}

/**
 * Makes an interceptor for any dispatcher of undici 7 or 8 that answers HTTP Digest challenges.
 *
 * The first request to an origin goes without an answer, to be given a challenge; requests made meanwhile wait for it.
 * From then on each request carries its answer, so that it takes one round trip. Nothing is connected and no timer is
 * set by the interceptor itself. A request that brings its own `Authorization` header is left alone.
 *
 * A wrong user name or password costs two requests and comes back as the server's 401. Bodies are sent again where they
 * are strings, buffers, `Blob` or `FormData`; for a stream a 401 is an error, so make a read first.
 *
 * @param options the credentials, and the origins that may have an answer
 * @returns what `dispatcher.compose` takes; each one keeps nonces of its own
 * @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` for options that can't work
 * @throws {@link DigestError}, as the failure of a request, for a challenge that can't be answered
 * @see RFC 7616, and RFC 2617 and RFC 2069 for servers that are older
 * @example
 * ```ts
 * import { digest } from "pulumi-agent-log-config/digest";
 * import { Agent, request } from "undici";
 *
 * const dispatcher = new Agent().compose(digest({ username: "publickey", password: "private-key" }));
 * const { statusCode, body } = await request("https://example.com:8443/status", { dispatcher });
 * ```
 */
export function digest(options: DigestOptions): Dispatcher.DispatcherComposeInterceptor {
  const credentials = checkCredentials(options);
  const isTrusted = trustedOrigins(options.origins);
  const sessions = new Map<string, NonceSession>();
  const originOf = originReader();

  const sessionOf = (origin: string) => {
    const known = sessions.get(origin);
    if (known !== undefined) return known;
    const session = new NonceSession(origin, credentials);
    sessions.set(origin, session);
    return session;
  };

  return (dispatch) => (request, handler) => {
    if (typeof handler.onResponseError !== "function") {
      throw invalidArgument("the dispatcher must be one of undici 7 or later: install undici@8 beside this package");
    }
    const origin = originOf(request.origin);
    if (!isTrusted(origin, request, handler) || hasAuthorization(request.headers)) return dispatch(request, handler);
    return new DigestHandler(dispatch, request, handler, sessionOf(origin)).start();
  };
}

function checkCredentials(options: DigestOptions | undefined): Credentials {
  const { username, password, origins: _, ...unknown } = options ?? {};
  const names = Object.keys(unknown);
  if (names.length > 0)
    throw invalidArgument(`unknown option: ${names.join(", ")} (known: username, password, origins)`);
  // RFC 9110, section 5.5: a control character would end the header that carries the name; RFC 8187 can't encode half a character.
  if (typeof username !== "string" || username === "" || /[\p{Cc}\p{Cs}]/u.test(username)) {
    throw invalidArgument("username must be a string with at least one character and no control characters");
  }
  if (typeof password !== "string") throw invalidArgument("password must be a string");
  return { username, password };
}

/** Reads the origin of a request, mostly that of the one before. A Client or Pool is given none, since it has only one. */
function originReader(): (origin: string | URL | undefined) => string {
  let last: string | undefined;
  let lastOrigin = "";
  return (origin) => {
    if (origin === undefined) return "";
    if (typeof origin !== "string") return origin.origin;
    if (origin !== last) {
      lastOrigin = new URL(origin).origin;
      last = origin;
    }
    return lastOrigin;
  };
}
