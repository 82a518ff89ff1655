import type { Dispatcher } from "undici";

/** A request that its caller may give up while nothing of it is on the wire. */
export interface Abandonable {
  abandon(reason: Error): void;
}

/**
 * What the caller holds for the whole of its request, however many requests go over the wire for it: it pauses, resumes
 * and aborts the one under way, and aborts a request that waits for its turn.
 */
export class DigestController implements Dispatcher.DispatchController {
  #wire: Dispatcher.DispatchController | undefined;
  #paused = false;
  #aborted = false;
  #reason: Error | null = null;
  readonly #request: Abandonable;

  constructor(request: Abandonable) {
    this.#request = request;
  }

  /** The request that is on the wire; undefined between two of them. */
  set wire(wire: Dispatcher.DispatchController | undefined) {
    this.#wire = wire;
    if (wire === undefined) return;
    if (this.#aborted) wire.abort(this.#reason ?? new Error("aborted"));
    else if (this.#paused) wire.pause();
  }

  /** True once the caller has given the request up; {@link aborted} is true too where only one on the wire was cut off. */
  get abandoned(): boolean {
    return this.#aborted;
  }

  get aborted(): boolean {
    return this.#aborted || (this.#wire?.aborted ?? false);
  }

  get reason(): Error | null {
    return this.#reason ?? this.#wire?.reason ?? null;
  }

  get paused(): boolean {
    return this.#paused;
  }

  get rawHeaders(): NonNullable<Dispatcher.DispatchController["rawHeaders"]> | null {
    return this.#wire?.rawHeaders ?? null;
  }

  get rawTrailers(): NonNullable<Dispatcher.DispatchController["rawTrailers"]> | null {
    return this.#wire?.rawTrailers ?? null;
  }

  abort(reason: Error): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    if (this.#wire === undefined) this.#request.abandon(reason);
    else this.#wire.abort(reason);
  }

  pause(): void {
    this.#paused = true;
    this.#wire?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#wire?.resume();
  }
}
