import type { Socket } from "node:net";
import { type Dispatcher, errors } from "undici";
import type { DigestKey, DigestSession } from "../digest/digest-exchange.ts";
import type { DigestConnection } from "../digest/signed-request.ts";
import { Cookies } from "./cookies.ts";

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

  /** Waits for a connection, which nothing else uses until it is released. */
  async acquire(): Promise<Connection> {
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
  release(connection: Connection): void {
    const give = this.#waiting.shift();
    if (give === undefined) this.#idle.push(connection);
    else give(connection);
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.destroy()));
  }
}

export interface SocketEvents {
  readonly onOpening: (socket: Socket) => void;
  /** The socket leads to the service, or to a proxy that forwards requests. */
  readonly onOpen: () => void;
}

/** One connection to the service, which opens when it is used, and again when it was closed. */
export class Connection implements DigestConnection, SocketEvents {
  session: DigestSession;
  cookies = new Cookies();
  /** When the host was last reached over it, on the clock of `performance`: a socket opened, or a response came. */
  reachedAt = -Infinity;
  readonly #key: DigestKey;
  readonly #open: (events: SocketEvents) => Dispatcher;
  #dispatcher: Dispatcher;
  /** The socket that began to open last. */
  #socket: Socket | undefined;
  #isOpen = false;
  /** How many bytes had come over the socket at the last response. */
  #bytesOfResponses = 0;

  /** It changes when the connection is replaced. */
  get dispatcher(): Dispatcher {
    return this.#dispatcher;
  }

  constructor(key: DigestKey, open: (events: SocketEvents) => Dispatcher) {
    this.#key = key;
    this.session = { key };
    this.#open = open;
    this.#dispatcher = open(this);
  }

  readonly onOpening = (socket: Socket) => {
    this.#socket = socket;
    this.#isOpen = false;
    this.#bytesOfResponses = 0;
  };

  readonly onOpen = () => {
    this.#isOpen = true;
    this.reachedAt = performance.now();
  };

  /** An open connection shows that the host is there now. If the host has gone, the next attempt finds out. */
  noteRequest(): void {
    if (this.#isOpen && this.#socket?.destroyed === false) this.reachedAt = performance.now();
  }

  noteResponse(): void {
    const { bytesRead = 0 } = this.#socket ?? {};
    if (bytesRead > this.#bytesOfResponses) this.reachedAt = performance.now();
    this.#bytesOfResponses = bytesRead;
  }

  mayResend(): boolean {
    const { destroyed = false, bytesRead = 0 } = this.#socket ?? {};
    const isClosed = destroyed && bytesRead > 0 && bytesRead === this.#bytesOfResponses;
    this.noteResponse();
    if (isClosed) this.#socket = undefined;
    return isClosed;
  }

  /** Ends a socket that is still opening, if there is one. By its error, the connectors know what it has waited for, and say so. */
  endOpening(): boolean {
    if (this.#isOpen || this.#socket?.destroyed !== false) return false;
    this.#socket.destroy(new errors.HeadersTimeoutError("The time of the read is over."));
    return true;
  }

  /** Gives up the request that is under way, and opens another connection for the next one, which knows nothing of this one. */
  replace(): void {
    void this.destroy();
    this.#socket = undefined;
    this.#dispatcher = this.#open(this);
    this.session = { key: this.#key };
    this.cookies = new Cookies();
  }

  async destroy(): Promise<void> {
    const destruction = this.#dispatcher.destroy();
    // undici leaves alone a socket that is not open yet.
    this.#socket?.destroy(new Error("The connection is closed."));
    await destruction;
  }
}
