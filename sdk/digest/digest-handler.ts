import { stringify } from "node:querystring";
import { type Dispatcher, FormData } from "undici";
import { readAuthenticationInfo } from "./authentication-info.ts";
import { chooseDigestChallenge, type DigestChallenge } from "./digest-challenge.ts";
import { type Abandonable, DigestController } from "./digest-controller.ts";
import { DigestError } from "./digest-error.ts";
import type { Nonce } from "./nonce.ts";
import type { NonceSession, Turn, Waiter } from "./nonce-session.ts";
import { withAuthorization } from "./request-headers.ts";

/** Beyond this, in bytes, the body of a 401 that is to be answered is cut off instead of read. */
const MAX_REFUSAL_LENGTH = 65_536;

/** More than one where the server says that its nonces go stale at once, never more than this. */
const MAX_REPEATS = 3;

/** One request of a caller: as many requests on the wire as it takes to be accepted. */
export class DigestHandler implements Dispatcher.DispatchHandler, Waiter, Abandonable {
  readonly #dispatch: Dispatcher.Dispatch;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #session: NonceSession;
  readonly #controller: DigestController;
  /** The request target on the wire; another one once undici's redirect interceptor, below, has followed a redirect. */
  #uri: string;
  #announced = false;
  #finished = false;
  #repeats = 0;
  /** The nonce count of the request on the wire; 0 where it has no answer. */
  #count = 0;
  /** No other request used the nonce when this one was sent. */
  #alone = true;
  #underWay: Nonce | undefined;
  /** The kept nonce that the server refused. */
  #refused: Nonce | undefined;
  /** The refusal looked like that of a nonce that must not be shared. */
  #unshareable = false;
  /** What to send once the refusal's body has been read. */
  #next: (() => void) | undefined;
  #refusalLength = 0;
  #history: readonly URL[] = [];

  constructor(
    dispatch: Dispatcher.Dispatch,
    request: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    session: NonceSession,
  ) {
    this.#dispatch = dispatch;
    this.#request = withQueryInPath(request);
    this.#uri = this.#request.path;
    this.#handler = handler;
    this.#session = session;
    this.#controller = new DigestController(this);
  }

  start(): boolean {
    const turn = this.#session.take(this);
    if (turn !== "wait") return this.proceed(turn);
    // The caller needs something to abort while the request waits.
    this.#announce(null);
    return true;
  }

  proceed(turn: Turn): boolean {
    return turn === "probe" ? this.#send(this.#request) : this.#sign(turn);
  }

  abandon(reason: Error): void {
    if (!this.#finished) this.#fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#history = historyOf(context);
    this.#controller.wire = controller;
    if (!this.#finished) this.#announce(context);
  }

  onRequestUpgrade(...[, statusCode, headers, socket]: Parameters<Upgrade>): void {
    this.#accepted(headers);
    this.#handler.onRequestUpgrade?.(this.#controller, statusCode, headers, socket);
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onResponseStart(...[, statusCode, headers, statusMessage]: Parameters<ResponseStart>): void {
    if (statusCode >= 200) {
      this.#next = this.#nextAfter(statusCode, headers);
      if (this.#next !== undefined) return;
    }
    this.#handler.onResponseStart?.(this.#controller, statusCode, headers, statusMessage);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#next === undefined) {
      this.#handler.onResponseData?.(this.#controller, chunk);
      return;
    }
    this.#refusalLength += chunk.length;
    if (this.#refusalLength > MAX_REFUSAL_LENGTH) controller.abort(new Error("The body of the refusal is too long."));
  }

  onResponseEnd(_controller: Dispatcher.DispatchController, trailers: Parameters<ResponseEnd>[1]): void {
    if (this.#next !== undefined) this.#repeat(this.#next);
    else this.#handler.onResponseEnd?.(this.#controller, trailers);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#finished) return;
    if (this.#next !== undefined && !this.#controller.abandoned) this.#repeat(this.#next);
    else this.#fail(error);
  }

  onBodySent(chunk: Buffer): void {
    this.#handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }

  /** What to send after this response; undefined where the response is the caller's. */
  #nextAfter(statusCode: number, headers: ResponseHeaders): (() => void) | undefined {
    const destination = this.#history.length > 1 ? this.#history.at(-1) : undefined;
    const target = destination === undefined ? this.#uri : `${destination.pathname}${destination.search}`;
    const redirected = target !== this.#uri;
    const elsewhere = destination !== undefined && destination.origin !== this.#session.origin;
    // The redirect may have made it a GET, which can't be seen from here.
    const unsure = redirected && (statusCode === 401 || statusCode === 400) && !isRead(this.#request.method);
    if (elsewhere || unsure) {
      this.#landed();
      this.#session.ended(this);
      return undefined;
    }
    const misdirected = redirected && this.#count > 0;
    this.#uri = target;
    if (statusCode === 401) return this.#answerTo(headers, misdirected);
    if (statusCode === 400 && misdirected && this.#repeats < MAX_REPEATS) {
      const nonce = this.#landed();
      if (nonce !== undefined) return () => this.#sign(nonce);
    }
    this.#accepted(misdirected ? {} : headers);
    return undefined;
  }

  /** RFC 7616, section 3.3: the answer to a challenge, unless it was the answer to one that has been refused. */
  #answerTo(headers: ResponseHeaders, misdirected: boolean): (() => void) | undefined {
    const nonce = this.#landed();
    const lines = [headers["www-authenticate"] ?? []].flat();
    if (lines.length === 0) {
      this.#session.ended(this);
      return undefined;
    }
    const challenge = this.#read(lines);
    const final = nonce !== undefined && !nonce.kept && !challenge.stale && !misdirected;
    if (final || this.#repeats >= MAX_REPEATS) {
      this.#session.ended(this, this.#session.nonceOf(challenge));
      return undefined;
    }
    if (!isReplayable(this.#request.body)) {
      this.#session.ended(this);
      throw new DigestError(
        "ERR_DIGEST_BODY_NOT_REPLAYABLE",
        `The server answered 401 to ${this.#request.method} ${this.#session.origin}${this.#uri}, and its body, a stream, can't be sent again: send a string or a buffer, or make a read first.`,
      );
    }
    if (nonce?.kept && !misdirected) {
      this.#refused = nonce;
      const shared = this.#sharedNonce(nonce);
      const unshareable = challenge.stale ? nonce.accepted <= 1 : shared;
      this.#unshareable ||= unshareable;
      // Apache httpd counts by opaque, so nonces with the same one would get in each other's way: ask for another.
      if (unshareable && shared && nonce.sharesOpaque(challenge)) return () => this.#probe();
    }
    return () => this.#sign(this.#session.nonceOf(challenge));
  }

  /** Whether other requests used the nonce while this one was under way. */
  #sharedNonce(nonce: Nonce): boolean {
    return nonce.inFlight > 0 || !this.#alone || nonce.count !== this.#count;
  }

  #read(lines: readonly string[]): DigestChallenge {
    try {
      return chooseDigestChallenge(lines);
    } catch (error) {
      this.#session.ended(this);
      throw error;
    }
  }

  #accepted(headers: ResponseHeaders): void {
    const nonce = this.#landed();
    if (nonce === undefined) {
      this.#session.ended(this);
      return;
    }
    const next = this.#verify(headers["authentication-info"], nonce);
    nonce.accepted += 1;
    nonce.kept = true;
    if (this.#unshareable) this.#session.separate();
    this.#session.accepted(this, nonce, this.#refused, next === undefined ? undefined : nonce.successor(next));
  }

  #verify(info: string | string[] | undefined, nonce: Nonce): string | undefined {
    if (info === undefined) return undefined;
    try {
      return readAuthenticationInfo([info].flat().join(", "), () => nonce.expectedRspauth(this.#count, this.#uri));
    } catch (error) {
      this.#session.ended(this);
      throw error;
    }
  }

  #sign(nonce: Nonce): boolean {
    const authorization = nonce.authorize(this.#request.method, this.#uri);
    nonce.inFlight += 1;
    this.#underWay = nonce;
    this.#count = nonce.count;
    this.#alone = nonce.inFlight === 1;
    const headers = withAuthorization(this.#request.headers, authorization);
    return this.#send({ ...this.#request, path: this.#uri, headers });
  }

  #probe(): boolean {
    this.#count = 0;
    return this.#send({ ...this.#request, path: this.#uri });
  }

  #send(request: Dispatcher.DispatchOptions): boolean {
    try {
      return this.#dispatch(request, this);
    } catch (error) {
      this.onResponseError(null, error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  #repeat(next: () => void): void {
    this.#next = undefined;
    this.#refusalLength = 0;
    this.#repeats += 1;
    this.#controller.wire = undefined;
    next();
  }

  /** The nonce of the request on the wire, which from now on is not under way. */
  #landed(): Nonce | undefined {
    const nonce = this.#underWay;
    if (nonce !== undefined) nonce.inFlight -= 1;
    this.#underWay = undefined;
    return nonce;
  }

  #announce(context: unknown): void {
    if (this.#announced) return;
    this.#announced = true;
    this.#handler.onRequestStart?.(this.#controller, context);
  }

  #fail(error: Error): void {
    this.#finished = true;
    this.#landed();
    if (this.#controller.abandoned) this.#session.abandoned(this);
    else this.#session.ended(this);
    this.#handler.onResponseError?.(this.#controller, error);
  }
}

type Upgrade = NonNullable<Dispatcher.DispatchHandler["onRequestUpgrade"]>;
type ResponseStart = NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>;
type ResponseEnd = NonNullable<Dispatcher.DispatchHandler["onResponseEnd"]>;
type ResponseHeaders = Parameters<ResponseStart>[2];

/** The target as undici sends it; it refuses a query beside one that is in the path. */
function withQueryInPath(request: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  if (request.query == null || /[?#]/.test(request.path)) return request;
  const { query, path, ...rest } = request;
  const search = stringify(query);
  return search === "" ? request : { ...rest, path: `${path}?${search}` };
}

/** Where undici's redirect interceptor, set up below this one, has been. */
function historyOf(context: unknown): readonly URL[] {
  return typeof context === "object" && context !== null && "history" in context && Array.isArray(context.history)
    ? context.history
    : [];
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function isReplayable(body: Dispatcher.DispatchOptions["body"] | Blob | ArrayBuffer): boolean {
  return (
    body == null ||
    typeof body === "string" ||
    ArrayBuffer.isView(body) ||
    body instanceof ArrayBuffer ||
    body instanceof Blob ||
    body instanceof FormData
  );
}
