import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";

type Controller = Dispatcher.DispatchController;

/** What a message may say about a proxy: no credentials. */
export interface ProxyDescription {
  /** The environment variable that names it. */
  readonly variable: string;
  /** Host and port. */
  readonly host: string;
  readonly hasCredentials: boolean;
}

/** The proxy can't be reached (then it has a cause), or answers for itself (then it has a status). */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  readonly proxy: ProxyDescription;
  readonly status: number | undefined;
  /** The `Proxy-Authenticate` of the answer. */
  readonly challenge: string | undefined;

  constructor(
    proxy: ProxyDescription,
    failed: { readonly status?: number; readonly challenge?: string | undefined; readonly cause?: unknown },
  ) {
    super(`The proxy ${proxy.host} failed.`, { cause: failed.cause });
    this.proxy = proxy;
    this.status = failed.status;
    this.challenge = failed.challenge;
  }
}

/** An interceptor of connections to the proxy: what fails there fails with a {@link ProxyFailure}. */
export function proxyFailures(proxy: ProxyDescription): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, new ProxyHandler(handler, proxy));
}

class ProxyHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #proxy: ProxyDescription;

  constructor(handler: Dispatcher.DispatchHandler, proxy: ProxyDescription) {
    this.#handler = handler;
    this.#proxy = proxy;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  /** The answer to CONNECT, whatever its status. */
  onRequestUpgrade(controller: Controller, status: number, headers: IncomingHttpHeaders, socket: Duplex): void {
    if (status === 200) {
      this.#handler.onRequestUpgrade?.(controller, status, headers, socket);
      return;
    }
    socket.on("error", () => {}).destroy();
    this.onResponseError(controller, this.#refusal(status, headers));
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders, statusMessage?: string): void {
    // Of the answers to plain http only this one is certainly the proxy's own.
    if (status === 407) controller.abort(this.#refusal(status, headers));
    else this.#handler.onResponseStart?.(controller, status, headers, statusMessage);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Controller, trailers: IncomingHttpHeaders): void {
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller, error: Error): void {
    const failure = error instanceof ProxyFailure ? error : new ProxyFailure(this.#proxy, { cause: error });
    this.#handler.onResponseError?.(controller, failure);
  }

  #refusal(status: number, headers: IncomingHttpHeaders): ProxyFailure {
    return new ProxyFailure(this.#proxy, { status, challenge: headers["proxy-authenticate"]?.toString() });
  }
}
