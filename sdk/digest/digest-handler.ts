import { stringify } from "node:querystring";
import type { Dispatcher } from "undici";
import { readAuthenticationInfo } from "./authentication-info.ts";
import { chooseDigestChallenge, type DigestChallenge } from "./digest-challenge.ts";
import { DigestError } from "./digest-error.ts";
import type { Nonce } from "./nonce.ts";
import type { NonceSession, Turn, Waiter } from "./nonce-session.ts";
import { printable } from "./printable.ts";
import { withAuthorization } from "./request-headers.ts";
import { StreamedBody } from "./streamed-body.ts";

/** The body of a refusal is read, so that the connection can be used again, up to this many bytes. */
const MAX_REFUSAL_LENGTH = 65_536;

/** The most repeats for a server that reports every nonce as stale. */
const MAX_REPEATS = 3;

/**
 * One request of a caller, repeated with new credentials until the server accepts it or refuses them. undici drives it as the
 * handler of each request on the wire, and the caller holds it as the controller of the whole.
 *
 * ```text
 * waiting ──turn──> sent ──401, can be repeated──> refused ──end of its body──> sent
 *                    └──any other response──> delivering
 * every state ──abort or failure──> ended
 * ```
 */
export class DigestHandler implements Dispatcher.DispatchHandler, Dispatcher.DispatchController, Waiter {
  readonly #dispatch: Dispatcher.Dispatch;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #session: NonceSession;
  readonly #stream: StreamedBody | undefined;
  #state: "waiting" | "sent" | "refused" | "delivering" | "ended" = "waiting";
  /** The controller of the request on the wire; undefined while there is none. */
  #wire: Dispatcher.DispatchController | undefined;
  /** True once the caller holds its controller. */
  #announced = false;
  #repeats = 0;
  /** True if an interceptor below this one followed a redirect. */
  #redirected = false;
  /** What the request in flight is signed with; undefined if it has no credentials. */
  #nonce: Nonce | undefined;
  #count = 0;
  /** True if no other request was in flight with the same nonce when this one was sent. */
  #alone = true;
  /** What to do after the body of the refusal. */
  #next: Turn = "probe";
  #refusalLength = 0;
  /** The kept nonce that the server refused. */
  #refusedNonce: Nonce | undefined;
  /** True if the server refused the nonce in a way that shows that requests can't share it. */
  #unshareable = false;
  aborted = false;
  reason: Error | null = null;

  constructor(
    dispatch: Dispatcher.Dispatch,
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    session: NonceSession,
  ) {
    this.#dispatch = dispatch;
    this.#options = options.query == null ? options : withQueryInPath(options);
    this.#handler = handler;
    this.#session = session;
    this.#stream = isAsyncIterable(options.body) ? new StreamedBody(options.body) : undefined;
  }

  start(): boolean {
    const turn = this.#session.take(this);
    if (turn !== "wait") return this.proceed(turn);
    // The caller can abort a request that waits.
    this.#announce(null);
    return true;
  }

  /** Sends the request, signed or as a probe. */
  proceed(turn: Turn): boolean {
    if (this.#state === "ended") return false;
    this.#state = "sent";
    let options = this.#options;
    if (this.#stream !== undefined) options = { ...options, body: this.#stream.open() };
    if (turn !== "probe") {
      options = {
        ...options,
        headers: withAuthorization(options.headers, turn.authorize(options.method, options.path)),
      };
      turn.inFlight += 1;
      this.#nonce = turn;
      this.#count = turn.count;
      this.#alone = turn.inFlight === 1;
    }
    try {
      return this.#dispatch(options, this);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  onRequestStart(wire: Dispatcher.DispatchController, context: unknown): void {
    this.#wire = wire;
    this.#redirected = hasHistory(context);
    if (this.aborted) wire.abort(this.reason ?? new Error("aborted"));
    else if (!this.#announced) this.#announce(context);
  }

  onBodySent(chunk: Buffer): void {
    this.#handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onRequestUpgrade(_: unknown, statusCode: number, headers: ResponseHeaders, socket: Parameters<Upgrade>[3]): void {
    this.#accept(headers);
    this.#handler.onRequestUpgrade?.(this, statusCode, headers, socket);
  }

  onResponseStart(_: unknown, statusCode: number, headers: ResponseHeaders, statusMessage?: string): void {
    if (statusCode >= 200) {
      if (statusCode === 401) this.#refuse(headers);
      else this.#accept(headers);
      if (this.#state === "refused") return;
    }
    this.#handler.onResponseStart?.(this, statusCode, headers, statusMessage);
  }

  onResponseData(wire: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state !== "refused") {
      this.#handler.onResponseData?.(this, chunk);
      return;
    }
    this.#refusalLength += chunk.length;
    if (this.#refusalLength > MAX_REFUSAL_LENGTH) wire.abort(new Error("The body of the refusal is too long."));
  }

  onResponseEnd(_: unknown, trailers: Parameters<ResponseEnd>[1]): void {
    if (this.#state === "refused") this.#repeat();
    else this.#handler.onResponseEnd?.(this, trailers);
  }

  onResponseError(_: unknown, error: Error): void {
    // The challenge has been read, so the rest of the refusal does not matter.
    if (this.#state === "refused" && !this.aborted) this.#repeat();
    else this.#fail(error);
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    if (this.#wire === undefined) this.#fail(reason);
    else this.#wire.abort(reason);
  }

  pause(): void {
    this.#wire?.pause();
  }

  resume(): void {
    this.#wire?.resume();
  }

  get paused(): boolean {
    return this.#wire?.paused ?? false;
  }

  get rawHeaders(): RawHeaders | null {
    return this.#wire?.rawHeaders ?? null;
  }

  get rawTrailers(): RawHeaders | null {
    return this.#wire?.rawTrailers ?? null;
  }

  #announce(context: unknown): void {
    this.#announced = true;
    this.#handler.onRequestStart?.(this, context);
  }

  /** Handles a 401. Each challenge gets one response, so that a wrong key never loops (RFC 7616, section 3.3). */
  #refuse(headers: ResponseHeaders): void {
    const nonce = this.#land();
    const lines = headers["www-authenticate"];
    // A redirect leads to another target, and may have changed the method.
    if (lines === undefined || this.#redirected) {
      this.#deliver();
      return;
    }
    const challenge = chooseDigestChallenge([lines].flat());
    const fresh = this.#session.nonceOf(challenge);
    const wrongKey = nonce !== undefined && !nonce.kept && !challenge.stale;
    if (wrongKey || this.#repeats >= MAX_REPEATS) {
      this.#deliver(fresh);
      return;
    }
    this.#checkReplayable();
    this.#state = "refused";
    this.#next = nonce?.kept ? this.#afterRefusalOf(nonce, challenge, fresh) : fresh;
  }

  /** Finds out from the refusal of a nonce that has worked before whether requests can share nonces. */
  #afterRefusalOf(nonce: Nonce, challenge: DigestChallenge, fresh: Nonce): Turn {
    const shared = nonce.inFlight > 0 || !this.#alone || nonce.count !== this.#count;
    const unshareable = challenge.stale ? nonce.accepted <= 1 : shared;
    this.#refusedNonce = nonce;
    this.#unshareable ||= unshareable;
    // Apache httpd counts by opaque. Requests with the same one would disturb each other, so this one asks for another.
    return unshareable && shared && nonce.sharesOpaque(challenge) ? "probe" : fresh;
  }

  #accept(headers: ResponseHeaders): void {
    const nonce = this.#land();
    if (nonce !== undefined && !this.#redirected) {
      const info = headers["authentication-info"];
      const next = info === undefined ? undefined : this.#verify([info].flat().join(", "), nonce);
      nonce.accepted += 1;
      nonce.kept = true;
      if (this.#unshareable) this.#session.separate();
      this.#session.accepted(nonce, this.#refusedNonce, next);
    }
    this.#deliver();
  }

  #verify(info: string, nonce: Nonce): Nonce | undefined {
    const next = readAuthenticationInfo(info, () => nonce.expectedRspauth(this.#count, this.#options.path));
    return next === undefined ? undefined : nonce.successor(next);
  }

  /** From here on, the response is the caller's. */
  #deliver(candidate?: Nonce): void {
    this.#state = "delivering";
    if (this.#stream !== undefined) this.#stream.replayable = false;
    this.#session.ended(this, candidate);
  }

  /** Takes the nonce of the request that is no longer in flight. */
  #land(): Nonce | undefined {
    const nonce = this.#nonce;
    if (nonce !== undefined) nonce.inFlight -= 1;
    this.#nonce = undefined;
    return nonce;
  }

  #repeat(): void {
    this.#repeats += 1;
    this.#refusalLength = 0;
    this.#wire = undefined;
    this.proceed(this.#next);
  }

  #fail(error: Error): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#land();
    if (this.aborted) this.#session.aborted(this);
    else this.#session.ended(this);
    this.#stream?.close();
    this.#handler.onResponseError?.(this, error);
  }

  #checkReplayable(): void {
    const { method, path, body } = this.#options;
    if (this.#stream?.replayable ?? !isOneShot(body)) return;
    throw new DigestError(
      "ERR_DIGEST_BODY_NOT_REPLAYABLE",
      `The server refused ${printable(`${method} ${this.#session.origin}${path.replace(/\?.*/s, "")}`)}, and the stream in its body can't be sent again: send a string or a buffer, or make a request without a body first.`,
    );
  }
}

type RawHeaders = NonNullable<Dispatcher.DispatchController["rawHeaders"]>;
type Upgrade = NonNullable<Dispatcher.DispatchHandler["onRequestUpgrade"]>;
type ResponseEnd = NonNullable<Dispatcher.DispatchHandler["onResponseEnd"]>;
type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/** The target as undici sends it. undici refuses a query beside one that is in the path. */
function withQueryInPath(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  if (/[?#]/.test(options.path)) return options;
  const { query, path, ...rest } = options;
  const search = stringify(query ?? {});
  return search === "" ? options : { ...rest, path: `${path}?${search}` };
}

function hasHistory(context: unknown): boolean {
  if (typeof context !== "object" || context === null || !("history" in context)) return false;
  return Array.isArray(context.history) && context.history.length > 0;
}

function isAsyncIterable(body: unknown): body is AsyncIterable<string | Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** True for an iterator, and for a stream of an old kind. Strings, buffers, `Blob` and `FormData` can be sent again. */
function isOneShot(body: unknown): boolean {
  return typeof body === "object" && body !== null && ("next" in body || "pipe" in body);
}
