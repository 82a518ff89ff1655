import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";

type Controller = Dispatcher.DispatchController;

/** Passes everything on, a failure as what `toFailure` makes of it. */
export class FailureHandler implements Dispatcher.DispatchHandler {
  protected readonly handler: Dispatcher.DispatchHandler;
  readonly #toFailure: (error: Error) => Error;

  constructor(handler: Dispatcher.DispatchHandler, toFailure: (error: Error) => Error) {
    this.handler = handler;
    this.#toFailure = toFailure;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.handler.onRequestStart?.(controller, context);
  }

  onRequestUpgrade(controller: Controller, status: number, headers: IncomingHttpHeaders, socket: Duplex): void {
    this.handler.onRequestUpgrade?.(controller, status, headers, socket);
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders, statusMessage?: string): void {
    this.handler.onResponseStart?.(controller, status, headers, statusMessage);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Controller, trailers: IncomingHttpHeaders): void {
    this.handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller, error: Error): void {
    this.handler.onResponseError?.(controller, this.#toFailure(error));
  }
}
