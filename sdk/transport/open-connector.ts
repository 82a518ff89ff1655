import { isIP, Socket } from "node:net";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { buildConnector, errors } from "undici";
import { printable } from "../model/printable.ts";

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
    if (!(socket instanceof TLSSocket)) return;
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

function parseCertificate({ subjectaltname = "", issuer, valid_to: validTo = "" }: PeerCertificate): Certificate {
  const name = [issuer?.CN ?? issuer?.O ?? ""].flat().join(", ");
  return { names: printable(subjectaltname.replaceAll(/(?:DNS|IP Address):/g, "")), issuer: printable(name), validTo };
}
