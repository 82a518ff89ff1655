type Send = () => void;

/** Lets a number of requests be under way at once. The others wait here, where giving one up opens no connection. */
export class RequestQueue {
  readonly #limit: number;
  readonly #waiting = new Set<Send>();
  readonly #underWay = new Set<Send>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Sends the request, now or once others have left. */
  enter(send: Send): void {
    this.#waiting.add(send);
    this.#sendNext();
  }

  /** Tells that the request has ended or is given up. */
  leave(send: Send): void {
    this.#waiting.delete(send);
    // A caller that gives up many requests at once has given up all of them by then.
    if (this.#underWay.delete(send) && this.#waiting.size > 0) queueMicrotask(() => this.#sendNext());
  }

  #sendNext(): void {
    const [send] = this.#waiting;
    if (send === undefined || this.#underWay.size >= this.#limit) return;
    this.#waiting.delete(send);
    this.#underWay.add(send);
    send();
  }
}
