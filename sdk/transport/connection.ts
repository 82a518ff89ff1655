import tls from "node:tls";
import { Client, type Dispatcher } from "undici";
import { DigestKey, DigestSession } from "../digest/digest-exchange.ts";
import type { DigestConnection } from "../digest/signed-request.ts";
import type { CompleteOptions } from "../model/complete-options.ts";
import { Cookies } from "./cookies.ts";
import { type EnvironmentProxy, openThroughProxy } from "./environment-proxy.ts";
import { openConnector } from "./open-connector.ts";

/** Seconds to open one connection, with TLS and the response of a proxy. */
const MAX_CONNECT_SECONDS = 10;

/** Seconds that a response may pause. After them the client answers a challenge over another connection. */
const MAX_PAUSE_SECONDS = 5;

/** Bytes of a response; a real one has some thousand. */
const MAX_BODY_BYTES = 1_048_576;

/** One connection to the service, which opens when it is used, and again when it was closed. */
export class Connection implements DigestConnection {
  session: DigestSession;
  cookies = new Cookies();
  readonly #key: DigestKey;
  readonly #open: (closed: AbortSignal) => Dispatcher;
  #closing = new AbortController();
  #dispatcher: Dispatcher;

  /** It changes when the connection is replaced. */
  get dispatcher(): Dispatcher {
    return this.#dispatcher;
  }

  /** @param open its sockets end with the signal, because undici leaves alone those that are not connected yet */
  constructor(key: DigestKey, open: (closed: AbortSignal) => Dispatcher) {
    this.#key = key;
    this.session = new DigestSession(key);
    this.#open = open;
    this.#dispatcher = open(this.#closing.signal);
  }

  /** Gives up the request that is under way, and opens another connection for the next one, which knows nothing of this one. */
  replace(): void {
    void this.destroy();
    this.#closing = new AbortController();
    this.#dispatcher = this.#open(this.#closing.signal);
    this.session = new DigestSession(this.#key);
    this.cookies = new Cookies();
  }

  /** Closes it for good. */
  async destroy(): Promise<void> {
    const destroyed = this.#dispatcher.destroy();
    this.#closing.abort();
    await destroyed;
  }
}

/** Returns a function that makes connections to the service. All connections share what is known of the key. */
export function connectionFactory(options: CompleteOptions, proxy: EnvironmentProxy | undefined): () => Connection {
  const { baseUrl, publicKey: username, privateKey: password, caCertificate, timeoutSeconds } = options;
  const { origin } = new URL(baseUrl);
  const limits = {
    // retriedRead limits the whole read.
    headersTimeout: 0,
    bodyTimeout: MAX_PAUSE_SECONDS * 1000,
    maxResponseSize: MAX_BODY_BYTES,
    // Over HTTP/2 a response that was cut counts as a complete one.
    allowH2: false,
  };
  const trust = {
    // One second more than the read, so that the read's clearer time-out error comes first.
    timeout: Math.ceil(Math.min(timeoutSeconds + 1, MAX_CONNECT_SECONDS) * 1000),
    // Without it, NODE_TLS_REJECT_UNAUTHORIZED=0 would switch the check off.
    rejectUnauthorized: true,
    allowH2: false,
    ...(caCertificate === undefined ? {} : { secureContext: trusting(caCertificate) }),
  };
  const key = new DigestKey({ username, password });
  const open = (signal: AbortSignal) => {
    const connect = openConnector({ ...trust, signal });
    return proxy === undefined
      ? new Client(origin, { ...limits, connect })
      : openThroughProxy(proxy, limits, connect, trust.timeout);
  };
  return () => new Connection(key, open);
}

/**
 * Adds a certificate to those that this process trusts. The option `ca` would replace them. `addCACert` is private to Node.js:
 * without it, authorities that only --use-openssl-ca and SSL_CERT_FILE choose, which can't be listed, are not trusted beside it.
 */
function trusting(caCertificate: string): tls.SecureContext {
  const secureContext = tls.createSecureContext();
  if (typeof secureContext.context?.addCACert !== "function") {
    return tls.createSecureContext({ ca: [...tls.getCACertificates(), caCertificate] });
  }
  secureContext.context.addCACert(caCertificate);
  return secureContext;
}
