import type { Dispatcher } from "undici";

/** Connections that a client opens to the service, each for one request at a time. */
export const MAX_REQUESTS = 16;

/** Sends a request over a connection that nothing else uses until it leaves. */
type Send = (connection: Dispatcher) => void;

/**
 * The connections to the service. Each has a Digest nonce of its own, because behind a load balancer the server at its other
 * end may be the only one that knows the nonce. Requests that find all of them in use wait here, where giving one up opens
 * no connection.
 */
export class RequestQueue {
  readonly #open: () => Dispatcher;
  /** All connections that were opened. */
  readonly #connections: Dispatcher[] = [];
  /** Those that are not in use, the one that was used last at the end. */
  readonly #idle: Dispatcher[] = [];
  readonly #waiting = new Set<Send>();
  readonly #underWay = new Map<Send, Dispatcher>();

  /** @param open makes a dispatcher that has one connection */
  constructor(open: () => Dispatcher) {
    this.#open = open;
  }

  /** Sends the request, now or once others have left. Returns whether it was sent. */
  enter(send: Send): boolean {
    this.#waiting.add(send);
    this.#sendNext();
    return !this.#waiting.has(send);
  }

  /** Tells that the request has ended or is given up. */
  leave(send: Send): void {
    this.#waiting.delete(send);
    const connection = this.#underWay.get(send);
    if (connection === undefined) return;
    this.#underWay.delete(send);
    this.#idle.push(connection);
    // A caller that gives up many requests at once has given up all of them by then.
    if (this.#waiting.size > 0) queueMicrotask(() => this.#sendNext());
  }

  /** Closes all connections. */
  async destroy(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.destroy()));
  }

  #sendNext(): void {
    const [send] = this.#waiting;
    if (send === undefined) return;
    const connection = this.#idle.pop() ?? this.#openNext();
    if (connection === undefined) return;
    this.#waiting.delete(send);
    this.#underWay.set(send, connection);
    send(connection);
  }

  #openNext(): Dispatcher | undefined {
    if (this.#connections.length === MAX_REQUESTS) return undefined;
    const connection = this.#open();
    this.#connections.push(connection);
    return connection;
  }
}
