import dns from "node:dns";
import { isIP, type LookupFunction, Socket } from "node:net";
import tls from "node:tls";
import { buildConnector, Client, errors } from "undici";
import { DigestKey } from "../digest/digest-exchange.ts";
import type { CheckedOptions } from "../model/connection-options.ts";
import { printable } from "../text/printable.ts";
import { Connection, type SocketEvents } from "./connection.ts";
import type { EnvironmentProxy } from "./environment-proxy.ts";
import { forwardThrough, proxyConnector, tunnelConnector } from "./proxy-connector.ts";

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
    // Each attempt has a deadline, the end of its read.
    headersTimeout: 0,
    bodyTimeout: MAX_PAUSE_SECONDS * 1000,
    maxHeaderSize: MAX_RESPONSE_BYTES,
    maxResponseSize: MAX_RESPONSE_BYTES,
  };
  // A read that is shorter than a step ends first, by a second: its error also says how the attempt before has failed.
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

/** Makes a connector that remembers what a connection that fails has shown: the server's certificate, and damage on the way. */
export function openConnector(
  options: buildConnector.BuildOptions,
  onOpening: (socket: Socket) => void,
): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    let certificate: Certificate | undefined;
    // The name in the handshake is no address and has no dot at its end (RFC 6066, section 3). The certificate is checked against it.
    const name = target.hostname.replace(/\.$/, "");
    const servername = isIP(name) === 0 ? name : "";
    let isNameKnown = servername === "" || target.httpSocket !== undefined;
    const socket: unknown = connect({ ...target, servername }, (...outcome) => {
      const [error] = outcome;
      if (error instanceof errors.ConnectTimeoutError || error instanceof errors.HeadersTimeoutError) {
        // As long as the name is not known, it is the name server that does not respond.
        Object.assign(error, { code: isNameKnown ? "UND_ERR_CONNECT_TIMEOUT" : "EAI_AGAIN" });
      }
      if (error !== null && certificate !== undefined) FAILED_CONNECTIONS.set(error, { certificate });
      callback(...outcome);
    });
    if (!(socket instanceof Socket)) return;
    onOpening(socket);
    socket.once("lookup", () => {
      isNameKnown = true;
    });
    if (!(socket instanceof tls.TLSSocket)) return;
    let isHandshakeOver = false;
    socket.once("secureConnect", () => {
      isHandshakeOver = true;
    });
    // Node.js leaves a socket open whose TLS fails after the handshake. undici would wait, or only say that the server has closed it.
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (!error.code?.startsWith("ERR_SSL_")) return;
      if (isHandshakeOver && !REFUSES_CLIENT.test(error.code)) FAILED_CONNECTIONS.set(error, { isDamaged: true });
      socket.destroy(error);
    });
    // Node.js itself looks at the certificate at this event, and a socket that it refuses has none afterwards.
    socket.prependOnceListener("secure", () => {
      certificate = parseCertificate(socket.getPeerCertificate());
    });
  };
}

/** With TLS 1.3, a server refuses a client without a certificate after the handshake; Apache with TLS 1.2 in a new one. */
const REFUSES_CLIENT = /_ALERT_(?:\w*CERTIFICATE\w*|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)$/;

/** What a connection has shown before it failed. */
interface FailedConnection {
  /** The certificate of the server; undefined if it has sent none. */
  readonly certificate?: Certificate;
  /** Something on the way has damaged the connection, whose handshake had succeeded. */
  readonly isDamaged?: boolean;
}

/** What a certificate says of a server. Each part is empty if the certificate does not have it. */
export interface Certificate {
  /** The host names and addresses that it is for. */
  readonly names: string;
  readonly issuer: string;
  readonly validTo: string;
}

/** By the errors with which they have failed. */
const FAILED_CONNECTIONS = new WeakMap<Error, FailedConnection>();

export function failedConnectionOf(error: Error): FailedConnection {
  return FAILED_CONNECTIONS.get(error) ?? {};
}

function parseCertificate({ subjectaltname = "", issuer, valid_to: validTo = "" }: tls.PeerCertificate): Certificate {
  const name = [issuer?.CN ?? issuer?.O ?? ""].flat().join(", ");
  return { names: printable(subjectaltname.replaceAll(/(?:DNS|IP Address):/g, "")), issuer: printable(name), validTo };
}
