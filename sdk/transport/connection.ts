import dns from "node:dns";
import type { LookupFunction, Socket } from "node:net";
import tls from "node:tls";
import { type buildConnector, Client, type Dispatcher, errors } from "undici";
import { DigestKey, type DigestSession } from "../digest/digest-exchange.ts";
import type { DigestConnection } from "../digest/signed-request.ts";
import type { CheckedOptions } from "../model/connection-options.ts";
import { Cookies } from "./cookies.ts";
import { type EnvironmentProxy, forwardThrough, proxyConnector, tunnelConnector } from "./environment-proxy.ts";
import { openConnector } from "./open-connector.ts";

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

interface SocketEvents {
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

/** Seconds for each step in which a connection opens: TCP with TLS, the response of a proxy, and TLS through its tunnel. */
const MAX_STEP_SECONDS = 10;

/** Seconds that a response may pause. After them the client answers a challenge over another connection. */
const MAX_PAUSE_SECONDS = 5;

/** Bytes of the head of a response, and of its body; real ones have some thousand. */
export const MAX_RESPONSE_BYTES = 1_048_576;

/** Returns a function that makes connections to the service. All connections share what is known of the key. */
export function connectionFactory(options: CheckedOptions, proxy: EnvironmentProxy | undefined): () => Connection {
  const { baseUrl, publicKey: username, privateKey: password, caCertificate, timeoutSeconds } = options;
  const { origin } = new URL(baseUrl);
  const limits = {
    // ServiceClient limits the whole read.
    headersTimeout: 0,
    bodyTimeout: MAX_PAUSE_SECONDS * 1000,
    maxHeaderSize: MAX_RESPONSE_BYTES,
    maxResponseSize: MAX_RESPONSE_BYTES,
  };
  // One second more than the read, so that the end of the read comes first, which also says how the attempt before has failed.
  const timeout = Math.ceil(Math.min(timeoutSeconds + 1, MAX_STEP_SECONDS) * 1000);
  const connectorOptions = {
    timeout,
    // Node.js gives an address up after 250 ms if its host has another one, and does not come back to it.
    autoSelectFamilyAttemptTimeout: Math.ceil(timeout / 4),
    lookup: sharedLookup(timeout),
    // Without it, NODE_TLS_REJECT_UNAUTHORIZED=0 would switch the check off.
    rejectUnauthorized: true,
    // Over HTTP/2 a response that was cut counts as a complete one.
    allowH2: false,
    // Some servers end each session that is resumed (OpenSSL: "session id context uninitialized").
    maxCachedSessions: 0,
    ...(caCertificate === undefined ? {} : { secureContext: contextTrusting(caCertificate) }),
  };
  const key = new DigestKey({ username, password });
  const open = ({ onOpening, onOpen }: SocketEvents) => {
    const openSocket = openConnector(connectorOptions, onOpening);
    const newClient = (to: string, connect: buildConnector.connector) =>
      new Client(to, { ...limits, connect }).on("connect", onOpen);
    if (proxy === undefined) return newClient(origin, openSocket);
    if (!proxy.isForwarding) return newClient(origin, tunnelConnector(proxy, openSocket, timeout));
    return forwardThrough(proxy, newClient(proxy.url.origin, proxyConnector(proxy, openSocket)));
  };
  return () => new Connection(key, open);
}

type LookupCallback = Parameters<LookupFunction>[2];

/**
 * Returns a look-up of one name that all connections share which open meanwhile: Node.js makes two look-ups at a time, so those of
 * sixteen connections would wait for each other. Nothing is kept of it. A look-up that takes too long is made anew beside it.
 */
function sharedLookup(timeoutMilliseconds: number): LookupFunction {
  const waiting: LookupCallback[] = [];
  let begunAt = -Infinity;
  return (hostname, options, callback) => {
    const isFirst = waiting.push(callback) === 1;
    if (!isFirst && performance.now() - begunAt < timeoutMilliseconds) return;
    begunAt = performance.now();
    dns.lookup(hostname, options, (...result) => {
      for (const tell of waiting.splice(0)) tell(...result);
    });
  };
}

/**
 * Adds a certificate to those that this process trusts. The option `ca` would replace them. `addCACert` is private to Node.js:
 * without it, authorities that only --use-openssl-ca and SSL_CERT_FILE choose, which can't be listed, are not trusted beside it.
 */
function contextTrusting(caCertificate: string): tls.SecureContext {
  const secureContext = tls.createSecureContext();
  if (typeof secureContext.context?.addCACert !== "function") {
    return tls.createSecureContext({ ca: [...tls.getCACertificates(), caCertificate] });
  }
  secureContext.context.addCACert(caCertificate);
  return secureContext;
}
