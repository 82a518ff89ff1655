import diagnosticsChannel from "node:diagnostics_channel";
import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";

/** What the connections of this process have come to; each is undefined as long as it has not come to that. */
export interface Observations {
  /** The host that was connected to first: the service's, or a proxy. */
  host: string | undefined;
  address: string | undefined;
  tls: string | undefined;
  challenge: string | undefined;
}

/** Watches undici at work (its diagnostics channels), so that what is told is what the client itself met. */
export function observeConnections(): Observations {
  const seen: Observations = { host: undefined, address: undefined, tls: undefined, challenge: undefined };
  diagnosticsChannel.subscribe("undici:client:beforeConnect", (message) => {
    const target = isObject(message) ? message["connectParams"] : undefined;
    if (isObject(target)) seen.host ??= printable(String(target["hostname"]));
  });
  diagnosticsChannel.subscribe("undici:client:connected", (message) => {
    const socket = isObject(message) ? message["socket"] : undefined;
    if (socket instanceof Socket) seen.address ??= `${socket.remoteAddress} port ${socket.remotePort}`;
    // A session that is resumed comes without the certificate.
    if (socket instanceof TLSSocket && !socket.isSessionReused()) seen.tls = describeTls(socket);
  });
  diagnosticsChannel.subscribe("undici:request:headers", (message) => {
    const response = isObject(message) ? message["response"] : undefined;
    const headers = isObject(response) && Array.isArray(response["headers"]) ? response["headers"].map(String) : [];
    const index = headers.findIndex((name) => name.toLowerCase() === "www-authenticate");
    if (index >= 0) seen.challenge ??= describeChallenge(headers[index + 1] ?? "");
  });
  return seen;
}

function describeTls(socket: TLSSocket): string {
  const { subject, issuer, valid_to: validTo } = socket.getPeerCertificate();
  const [host, authority] = [subject, issuer].map((name) => [name?.CN ?? name?.O ?? "?"].flat().join(", "));
  return printable(`${socket.getProtocol()}, certificate of ${host} from ${authority}, good until ${validTo}`);
}

function describeChallenge(header: string): string {
  const [, scheme = "?"] = /^\s*(\S+)/.exec(header) ?? [];
  const [, realm = ""] = /\brealm="([^"]*)"/i.exec(header) ?? [];
  return printable(`${scheme}, realm "${realm}"`);
}
