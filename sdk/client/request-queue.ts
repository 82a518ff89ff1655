/** Requests that are under way at once over one connection to the service, as many as it opens sockets. */
export const MAX_REQUESTS = 16;

type Send = () => void;

/** Lets {@link MAX_REQUESTS} be under way at once. The others wait here, where giving one up opens no connection. */
export class RequestQueue {
  readonly #waiting = new Set<Send>();
  readonly #underWay = new Set<Send>();

  /** Sends the request, now or once others have left. Returns whether it was sent. */
  enter(send: Send): boolean {
    this.#waiting.add(send);
    this.#sendNext();
    return !this.#waiting.has(send);
  }

  /** Tells that the request has ended or is given up. */
  leave(send: Send): void {
    this.#waiting.delete(send);
    // A caller that gives up many requests at once has given up all of them by then.
    if (this.#underWay.delete(send) && this.#waiting.size > 0) queueMicrotask(() => this.#sendNext());
  }

  #sendNext(): void {
    const [send] = this.#waiting;
    if (send === undefined || this.#underWay.size >= MAX_REQUESTS) return;
    this.#waiting.delete(send);
    this.#underWay.add(send);
    send();
  }
}
