import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectSocket, createServer as createSilentServer, type Socket } from "node:net";
import { createServer } from "node:tls";
import { expect, it } from "vitest";
import { failedConnectionOf, openConnector } from "../../sdk/transport/connection-factory.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { listen } from "../servers/listen.ts";

const LOOPBACK = [{ address: "127.0.0.1", family: 4 }];

it.each([
  { silent: "name server", isFound: false, code: "EAI_AGAIN" },
  { silent: "server", isFound: true, code: "UND_ERR_CONNECT_TIMEOUT" },
])("a $silent that does not respond in time fails a connection with the code $code", async ({ isFound, code }) => {
  const port = String(await listen(createSilentServer((socket) => socket.on("error", () => {}))));
  const connect = openConnector(
    { timeout: 100, lookup: (_host, _options, found) => void (isFound && process.nextTick(found, null, LOOPBACK)) },
    (socket) => socket.on("error", () => {}),
  );
  const { promise, resolve } = Promise.withResolvers<unknown>();
  connect({ protocol: "https:", hostname: "localhost", host: `localhost:${port}`, port }, (...[error]) =>
    resolve(error),
  );
  expect(await promise).toMatchObject({ code });
});

it("a server behind a tunnel that does not respond in time is no name server", async () => {
  const port = await listen(createSilentServer((socket) => socket.on("error", () => {})));
  const httpSocket = connectSocket(port, "127.0.0.1");
  const connect = openConnector({ timeout: 100 }, (socket) => socket.on("error", () => {}));
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const target = { protocol: "https:", hostname: "service.example", host: "service.example", port: "", httpSocket };
  connect(target, (...[error]) => resolve(error));
  expect(await promise).toMatchObject({ code: "UND_ERR_CONNECT_TIMEOUT" });
});

// A name in a handshake has no dot at its end, and is no address (RFC 6066, section 3).
it.each([
  { hostname: "127.0.0.1", sent: false },
  { hostname: "localhost", sent: "localhost" },
  { hostname: "localhost.", sent: "localhost" },
])("a server at $hostname is sent the name $sent, which its certificate must have", async ({ hostname, sent }) => {
  const server = createServer(TLS);
  const port = String(await listen(server));
  const connect = openConnector(
    { allowH2: false, ca: readFileSync(CA_FILE), lookup: (_host, _options, found) => found(null, LOOPBACK) },
    (socket) => socket.on("error", () => {}),
  );
  const names: unknown[] = [];
  server.on("secureConnection", ({ servername }) => names.push(servername));
  const connected = once(server, "secureConnection");
  const { promise, resolve } = Promise.withResolvers<unknown>();
  connect({ protocol: "https:", hostname, host: `${hostname}:${port}`, port }, (...[error]) => resolve(error));
  await connected;
  expect([await promise, names]).toEqual([null, [sent]]);
});

// With TLS 1.2, Apache asks for a certificate behind the request if only a part of its paths requires one.
it.each([
  { code: "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", damaged: false },
  { code: "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", damaged: false },
  { code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", damaged: false },
  { code: "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", damaged: false },
  { code: "ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC", damaged: true },
  { code: "ERR_SSL_WRONG_VERSION_NUMBER", damaged: true },
])("$code after the handshake shows that the connection is damaged: $damaged", async ({ code, damaged }) => {
  const port = String(await listen(createServer(TLS)));
  const sockets: Socket[] = [];
  const connect = openConnector({ allowH2: false, ca: readFileSync(CA_FILE) }, (socket) => void sockets.push(socket));
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const target = { protocol: "https:", hostname: "127.0.0.1", host: `127.0.0.1:${port}`, port };
  connect(target, (...[failure]) => resolve(failure));
  expect(await promise).toBeNull();
  const error = Object.assign(new Error("alert"), { code });
  for (const socket of sockets) socket.on("error", () => {}).emit("error", error);
  expect([sockets.length, failedConnectionOf(error).isDamaged ?? false]).toEqual([1, damaged]);
});
