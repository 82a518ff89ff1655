import type { DigestConnection } from "../digest/digest-request.ts";

/** Connections that a client opens to the service, each for one read at a time. */
export const MAX_REQUESTS = 16;

/** Takes the connection that it gets. */
type Turn = (connection: DigestConnection) => void;

/** The connections to the service. Reads that find all of them in use wait here, where giving one up opens no connection. */
export class RequestQueue {
  readonly #open: () => DigestConnection;
  /** All connections that were opened. */
  readonly #connections: DigestConnection[] = [];
  /** Those that are not in use, the one that was used last at the end. */
  readonly #idle: DigestConnection[] = [];
  readonly #waiting = new Set<Turn>();

  /** @param open makes a connection */
  constructor(open: () => DigestConnection) {
    this.#open = open;
  }

  /** Returns a connection that nothing else uses until it is returned; undefined if all are in use, or others wait. */
  take(): DigestConnection | undefined {
    if (this.#waiting.size > 0) return undefined;
    return this.#idle.pop() ?? this.#openNext();
  }

  /** Gives the next connection that is returned, after those that wait already. It returns what ends the wait. */
  enter(turn: Turn): () => void {
    this.#waiting.add(turn);
    return () => this.#waiting.delete(turn);
  }

  /** Lets others use a connection. */
  return(connection: DigestConnection): void {
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

  #openNext(): DigestConnection | undefined {
    if (this.#connections.length === MAX_REQUESTS) return undefined;
    const connection = this.#open();
    this.#connections.push(connection);
    return connection;
  }
}
