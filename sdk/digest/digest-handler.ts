import type { Dispatcher } from "undici";
import { chooseDigestChallenge } from "./digest-challenge.ts";
import { DigestController } from "./digest-controller.ts";
import type { DigestExchange } from "./digest-session.ts";
import { hasFollowedRedirect, refuseStream, withAuthorization, withQueryInPath } from "./request.ts";

type Options = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;
type Headers = Parameters<NonNullable<Handler["onResponseStart"]>>[2];
type Upgrade = Parameters<NonNullable<Handler["onRequestUpgrade"]>>;

/** The body of a refusal is read, so that the connection can be used again, up to this many bytes. */
const MAX_REFUSAL_BYTES = 65_536;

/**
 * Sends one request of a caller as often as its {@link DigestExchange} says, and gives the caller the last response. It is the
 * handler of each request on the wire; a refusal that is followed by another request is read here and goes no further.
 */
export class DigestHandler implements Handler {
  readonly #dispatch: Dispatcher.Dispatch;
  readonly #options: Options;
  readonly #handler: Handler;
  readonly #exchange: DigestExchange;
  readonly #controller = new DigestController((reason) => this.#fail(reason));
  /** The bytes of the refusal that is being read; undefined while no refusal is. */
  #refusalLength: number | undefined;
  #isAnnounced = false;
  #hasFailed = false;
  /** An interceptor below this one has followed a redirect. */
  #isRedirected = false;

  constructor(dispatch: Dispatcher.Dispatch, options: Options, handler: Handler, exchange: DigestExchange) {
    this.#dispatch = dispatch;
    this.#options = withQueryInPath(options);
    this.#handler = handler;
    this.#exchange = exchange;
  }

  /** Sends the request. Returns whether the dispatcher takes more of them, as every dispatch does. */
  send(): boolean {
    const { method, path, headers } = this.#options;
    const authorization = this.#exchange.sign(method, path);
    try {
      if (authorization === undefined) return this.#dispatch(this.#options, this);
      return this.#dispatch({ ...this.#options, headers: withAuthorization(headers, authorization) }, this);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  onRequestStart(wire: Dispatcher.DispatchController, context: unknown): void {
    this.#isRedirected = hasFollowedRedirect(context);
    this.#controller.follow(wire);
    if (!this.#controller.aborted) this.#announce(context);
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

  onRequestUpgrade(_: unknown, status: number, headers: Headers, socket: Upgrade[3]): void {
    this.#isRepeated(status, headers);
    this.#handler.onRequestUpgrade?.(this.#controller, status, headers, socket);
  }

  onResponseStart(_: unknown, status: number, headers: Headers, statusMessage?: string): void {
    if (status >= 200 && this.#isRepeated(status, headers)) this.#refusalLength = 0;
    else this.#handler.onResponseStart?.(this.#controller, status, headers, statusMessage);
  }

  onResponseData(wire: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#refusalLength === undefined) {
      this.#handler.onResponseData?.(this.#controller, chunk);
      return;
    }
    this.#refusalLength += chunk.length;
    if (this.#refusalLength > MAX_REFUSAL_BYTES) wire.abort(new Error("The body of the refusal is too long."));
  }

  onResponseEnd(_: unknown, trailers: Headers): void {
    if (this.#refusalLength === undefined) this.#handler.onResponseEnd?.(this.#controller, trailers);
    else this.#sendAgain();
  }

  onResponseError(_: unknown, error: Error): void {
    // The challenge has been read, so the rest of the refusal does not matter.
    if (this.#refusalLength !== undefined && !this.#controller.aborted) this.#sendAgain();
    else this.#fail(error);
  }

  /** Tells the exchange what the response says of the credentials. Returns whether the request is sent again. */
  #isRepeated(status: number, headers: Headers): boolean {
    const challenges = headers["www-authenticate"];
    // A redirect leads to another target, and may have changed the method.
    if (this.#isRedirected) return false;
    if (status !== 401) this.#exchange.accepted(headers["authentication-info"]);
    if (status !== 401 || challenges === undefined) return false;
    const isRepeated = this.#exchange.refused(chooseDigestChallenge(challenges));
    if (isRepeated) refuseStream(this.#options);
    return isRepeated;
  }

  #sendAgain(): void {
    this.#refusalLength = undefined;
    this.#controller.follow(undefined);
    this.send();
  }

  #announce(context: unknown): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#handler.onRequestStart?.(this.#controller, context);
  }

  #fail(error: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#handler.onResponseError?.(this.#controller, error);
  }
}
