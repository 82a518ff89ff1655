import type { Dispatcher } from "undici";

type Controller = Dispatcher.DispatchController;
type RawHeaders = Exclude<Controller["rawHeaders"], undefined>;

/** The controller that the caller holds while several requests on the wire have one of their own, one after another. */
export class DigestController implements Controller {
  aborted = false;
  reason: Error | null = null;
  readonly #giveUp: (reason: Error) => void;
  #target: Controller | undefined;
  #paused = false;

  /** @param giveUp ends a request that is not on the wire */
  constructor(giveUp: (reason: Error) => void) {
    this.#giveUp = giveUp;
  }

  /** Passes everything on to this controller from now on; undefined while no request is on the wire. */
  follow(target: Controller | undefined): void {
    this.#target = target;
    if (this.aborted) target?.abort(this.reason ?? new Error("aborted"));
    else if (this.#paused) target?.pause();
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    if (this.#target === undefined) this.#giveUp(reason);
    else this.#target.abort(reason);
  }

  pause(): void {
    this.#paused = true;
    this.#target?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#target?.resume();
  }

  get paused(): boolean {
    return this.#target?.paused ?? this.#paused;
  }

  get rawHeaders(): RawHeaders {
    return this.#target?.rawHeaders ?? null;
  }

  get rawTrailers(): RawHeaders {
    return this.#target?.rawTrailers ?? null;
  }
}
