/** What waits for its turn to be sent. */
export interface Sendable {
  send(): void;
}

/** Lets so many requests be under way at once. The others wait here, where giving one up opens no connection. */
export class RequestQueue {
  readonly #limit: number;
  readonly #waiting = new Set<Sendable>();
  #underWay = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Sends the request now or once others have left. */
  enter(request: Sendable): void {
    this.#waiting.add(request);
    this.#sendNext();
  }

  /** The request has ended, or does not wait any longer. */
  leave(request: Sendable): void {
    if (this.#waiting.delete(request)) return;
    this.#underWay -= 1;
    // Whoever gives many requests up at once has given up all of them by then.
    if (this.#waiting.size > 0) queueMicrotask(() => this.#sendNext());
  }

  #sendNext(): void {
    if (this.#underWay >= this.#limit) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#underWay += 1;
    next.send();
  }
}
