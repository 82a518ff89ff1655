import diagnosticsChannel from "node:diagnostics_channel";
import { isIP, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";

/** The steps of one read, in the order in which they are taken. */
export const READ_STEPS = [
  "settings",
  "name",
  "connection",
  "TLS",
  "challenge",
  "key",
  "role",
  "monitoring",
  "backup",
] as const;

export type StepName = (typeof READ_STEPS)[number];
export type Notes = Partial<Record<StepName, string | undefined>>;

/** The notes about the first steps. The note of a step is undefined until the step succeeds. */
export interface Findings extends Notes {
  /** The service speaks plain http, even if a proxy speaks TLS. */
  isPlain?: boolean;
  /** A problem of the settings that does not stop the read, and what to do about it. */
  warning?: string;
}

/** Adds what it observes of the connections to the service, until the process ends. */
export function observeConnections(service: URL, seen: Findings): void {
  let [name, isProxy] = ["", false];
  const connected = (socket: unknown) => {
    if (socket instanceof Socket) seen.connection ??= `${socket.remoteAddress} port ${socket.remotePort}`;
  };
  subscribe("undici:client:beforeConnect", ({ connectParams: target }) => {
    // The host behind a proxy is announced before the proxy that is connected in its place.
    if (!isObject(target) || seen.connection !== undefined) return;
    const host = String(target["hostname"]);
    isProxy = target["host"] !== service.host;
    name = printable(isProxy ? `${host}, a proxy` : host);
    seen.name = isIP(host) ? name : undefined;
  });
  subscribe("net.client.socket", ({ socket }) => {
    if (!(socket instanceof Socket)) return;
    socket.once("lookup", (error) => {
      if (!error) seen.name ??= name;
    });
    socket.once("connect", () => isProxy || connected(socket));
  });
  subscribe("undici:proxy:connected", ({ socket }) => connected(socket));
  subscribe("undici:client:connected", ({ connectParams: target, socket }) => {
    seen.isPlain = service.protocol === "http:";
    if (seen.isPlain) connected(socket);
    else if (isObject(target) && target["host"] === service.host) seen.TLS ??= readTls(socket);
  });
  subscribe("undici:client:sendHeaders", ({ headers }) => {
    const [, realm] = /^authorization: Digest .*, realm="((?:[^"\\]|\\.)*)"/im.exec(String(headers)) ?? [];
    if (realm !== undefined) seen.challenge ??= printable(`Digest, realm "${realm}"`);
  });
}

function subscribe(channel: string, see: (message: Readonly<Record<PropertyKey, unknown>>) => void): void {
  diagnosticsChannel.subscribe(channel, (message) => isObject(message) && see(message));
}

function readTls(socket: unknown): string {
  if (!(socket instanceof TLSSocket)) return "";
  const { subject, issuer, valid_to: validTo } = socket.getPeerCertificate();
  const [host, authority] = [subject, issuer].map((name) => [name?.CN ?? name?.O ?? "?"].flat().join(", "));
  return printable(`${socket.getProtocol()}, certificate of ${host} from ${authority}, valid until ${validTo}`);
}
