import type { Connection } from "./connection.ts";

/** The most connections that a client opens to the service. */
const MAX_CONNECTIONS = 16;

/** The connections to the service, each for one read at a time. */
export class ConnectionPool {
  readonly #open: () => Connection;
  readonly #connections: Connection[] = [];
  /** The connections that are not in use. The one that was used last is at the end. */
  readonly #idle: Connection[] = [];
  /** Each function gives a connection to a read that waits for one. The read that came first is first. */
  readonly #waiting: ((connection: Connection) => void)[] = [];

  /** When the host was last reached over any connection, on the clock of `performance`. */
  get reachedAt(): number {
    return Math.max(...this.#connections.map(({ reachedAt }) => reachedAt));
  }

  constructor(open: () => Connection) {
    this.#open = open;
  }

  /** Waits for a connection, which nothing else uses until it is given back. */
  async take(): Promise<Connection> {
    const idleConnection = this.#idle.pop();
    if (idleConnection !== undefined) return idleConnection;
    if (this.#connections.length < MAX_CONNECTIONS) {
      const connection = this.#open();
      this.#connections.push(connection);
      return connection;
    }
    const { promise, resolve } = Promise.withResolvers<Connection>();
    this.#waiting.push(resolve);
    return promise;
  }

  /** Lets another read use a connection. */
  giveBack(connection: Connection): void {
    const give = this.#waiting.shift();
    if (give === undefined) this.#idle.push(connection);
    else give(connection);
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.destroy()));
  }
}
