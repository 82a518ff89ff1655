import type { Dispatcher } from "undici";

/** Connections that a client opens to the service, each for one request at a time. */
export const MAX_REQUESTS = 16;

/** Takes the connection that it gets. */
type Turn = (connection: Dispatcher) => void;

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
  readonly #waiting = new Set<Turn>();

  /** @param open makes a dispatcher that has one connection */
  constructor(open: () => Dispatcher) {
    this.#open = open;
  }

  /** Returns a connection that nothing else uses until it is returned; undefined if all are in use, or others wait. */
  take(): Dispatcher | undefined {
    if (this.#waiting.size > 0) return undefined;
    return this.#idle.pop() ?? this.#openNext();
  }

  /** Gives the next connection that is returned, after those that wait already. It returns what ends the wait. */
  enter(turn: Turn): () => void {
    this.#waiting.add(turn);
    return () => this.#waiting.delete(turn);
  }

  /** Lets others use a connection. */
  return(connection: Dispatcher): void {
    this.#idle.push(connection);
    // A caller that gives up many requests at once has given up all of them by then.
    if (this.#waiting.size > 0) queueMicrotask(() => this.#giveNext());
  }

  /** Closes all connections. */
  async destroy(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.destroy()));
  }

  #giveNext(): void {
    const [turn] = this.#waiting;
    const connection = turn === undefined ? undefined : this.#idle.pop();
    if (turn === undefined || connection === undefined) return;
    this.#waiting.delete(turn);
    turn(connection);
  }

  #openNext(): Dispatcher | undefined {
    if (this.#connections.length === MAX_REQUESTS) return undefined;
    const connection = this.#open();
    this.#connections.push(connection);
    return connection;
  }
}
