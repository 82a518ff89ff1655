import diagnosticsChannel from "node:diagnostics_channel";
import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";
import { parseChallenges } from "../digest/challenge.ts";

/** What the connections of this process have come to; each part is undefined until it is seen. */
export interface Observations {
  /** The host of the first connection: the service's, or a proxy's. */
  host: string | undefined;
  address: string | undefined;
  tls: string | undefined;
  challenge: string | undefined;
}

/** Watches undici through its diagnostics channels, so that the report is about the connections of the client itself. */
export function observeConnections(): Observations {
  const seen: Observations = { host: undefined, address: undefined, tls: undefined, challenge: undefined };
  diagnosticsChannel.subscribe("undici:client:beforeConnect", (message) => {
    const target = isObject(message) ? message["connectParams"] : undefined;
    // The host behind a proxy is announced before the proxy that is connected in its place.
    if (isObject(target) && seen.address === undefined) seen.host = printable(String(target["hostname"]));
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
    const lines = headers.filter((_, index) => headers[index - 1]?.toLowerCase() === "www-authenticate" && index % 2);
    if (lines.length > 0) seen.challenge ??= describeChallenge(lines);
  });
  return seen;
}

function describeTls(socket: TLSSocket): string {
  const { subject, issuer, valid_to: validTo } = socket.getPeerCertificate();
  const [host, authority] = [subject, issuer].map((name) => [name?.CN ?? name?.O ?? "?"].flat().join(", "));
  return printable(`${socket.getProtocol()}, certificate of ${host} from ${authority}, valid until ${validTo}`);
}

/** The challenge that the client can use, if there is one. */
function describeChallenge(lines: readonly string[]): string {
  const challenges = lines.flatMap((line) => parseChallenges(line).challenges);
  const challenge = challenges.find(({ scheme }) => scheme === "digest") ?? challenges[0];
  if (challenge === undefined) return "malformed";
  const scheme = challenge.scheme.replace(/^./, (first) => first.toUpperCase());
  const realm = challenge.parameters.get("realm");
  return printable(realm === undefined ? scheme : `${scheme}, realm "${realm}"`);
}
