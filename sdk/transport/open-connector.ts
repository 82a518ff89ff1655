import { isIP, Socket } from "node:net";
import tls from "node:tls";
import { buildConnector } from "undici";
import { printable } from "../model/printable.ts";

/** What a certificate says of a server. Each part is empty if the certificate does not have it. */
interface Certificate {
  /** The host names and addresses that it is for. */
  readonly names: string;
  readonly issuer: string;
  readonly validTo: string;
}

/** The certificates of the servers whose connections failed, by the error. */
export const certificates = new WeakMap<Error, Certificate>();

/**
 * Makes a connector that remembers the server's certificate if a connection fails.
 * @param onOpening is told of each socket that begins to open
 */
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
    const socket: unknown = connect({ ...target, servername }, (...outcome) => {
      const [error] = outcome;
      if (error !== null && certificate !== undefined) certificates.set(error, certificate);
      callback(...outcome);
    });
    if (socket instanceof Socket) onOpening(socket);
    if (!(socket instanceof tls.TLSSocket)) return;
    // With TLS 1.3, a server refuses a client without a certificate after the handshake. Node.js then leaves the socket open, and
    // undici would only say that the server has closed it.
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (/_ALERT_(?:\w*CERTIFICATE\w*|UNKNOWN_CA|ACCESS_DENIED)$/.test(error.code ?? "")) socket.destroy(error);
    });
    // Node.js itself looks at the certificate at this event, and a socket that it refuses has none afterwards.
    socket.prependOnceListener("secure", () => {
      certificate = readCertificate(socket.getPeerCertificate());
    });
  };
}

function readCertificate({ subjectaltname = "", issuer, valid_to: validTo = "" }: tls.PeerCertificate): Certificate {
  const name = [issuer?.CN ?? issuer?.O ?? ""].flat().join(", ");
  return { names: printable(subjectaltname.replaceAll(/(?:DNS|IP Address):/g, "")), issuer: printable(name), validTo };
}
