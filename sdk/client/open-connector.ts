import { Socket } from "node:net";
import tls from "node:tls";
import { buildConnector } from "undici";
import { printable } from "../digest/printable.ts";

/**
 * Makes a connector that remembers the server's certificate where a connection fails.
 * @param connecting has the sockets that are not connected yet, which undici does not track
 */
export function openConnector(options: buildConnector.BuildOptions, connecting: Set<Socket>): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    let certificate: Certificate | undefined;
    const socket: unknown = connect(target, (...outcome) => {
      const [error] = outcome;
      if (socket instanceof Socket) connecting.delete(socket);
      if (error !== null && certificate !== undefined) refused.set(error, certificate);
      callback(...outcome);
    });
    if (socket instanceof Socket) connecting.add(socket);
    if (!(socket instanceof tls.TLSSocket)) return;
    // Node.js itself looks at the certificate at this event, and a socket that it refuses has none afterwards.
    socket.prependOnceListener("secure", () => {
      certificate = describe(socket.getPeerCertificate());
    });
  };
}

/** Returns the certificate for which a connection was refused. */
export function refusedCertificate(error: Error): Certificate | undefined {
  return refused.get(error);
}

/** What is known of a server's certificate; empty where it is not known. */
export interface Certificate {
  /** The host names and addresses that it is for. */
  readonly names: string;
  readonly issuer: string;
  readonly validTo: string;
}

/** The certificates for which connections were refused, by the error. */
const refused = new WeakMap<Error, Certificate>();

function describe({ subjectaltname = "", issuer, valid_to: validTo = "" }: tls.PeerCertificate): Certificate {
  const name = [issuer?.CN ?? issuer?.O ?? ""].flat().join(", ");
  return { names: printable(subjectaltname.replaceAll(/(?:DNS|IP Address):/g, "")), issuer: printable(name), validTo };
}
