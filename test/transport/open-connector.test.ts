import { once } from "node:events";
import { createServer } from "node:tls";
import { expect, it } from "vitest";
import { openConnector } from "../../sdk/transport/open-connector.ts";
import { TLS } from "../client/test-certificate.ts";
import { listen } from "../servers/listen.ts";

it.each([
  { name: "127.0.0.1", sent: false },
  { name: "localhost", sent: "localhost" },
])("a server that is called $name is sent the name $sent", async ({ name, sent }) => {
  const server = createServer(TLS);
  const port = await listen(server);
  const connect = openConnector({ allowH2: false, rejectUnauthorized: false }, (socket) =>
    socket.on("error", () => {}),
  );
  const connected = once(server, "secureConnection");
  const host = `127.0.0.1:${port}`;
  connect({ protocol: "https:", hostname: "127.0.0.1", host, port: String(port), servername: name }, () => {});
  const names: unknown[] = [];
  server.on("secureConnection", ({ servername }) => names.push(servername));
  await connected;
  expect(names).toEqual([sent]);
});
