import { createServer, type RequestListener, request } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { type Duplex, Transform } from "node:stream";
import { TLS } from "../client/test-certificate.ts";
import { listen } from "./listen.ts";

/** A proxy in this process that can be watched. */
export interface ProxyStandIn {
  readonly origin: string;
  /** The targets of its requests, those of CONNECT among them. */
  readonly targets: readonly string[];
  /** What went from clients through its tunnels. */
  readonly tunnelled: () => string;
  readonly mostConnections: () => number;
}

/** @param status with which it opens a tunnel */
export async function startProxyStandIn(protocol: "https" | "http" = "http", status = 200): Promise<ProxyStandIn> {
  const targets: string[] = [];
  const chunks: Buffer[] = [];
  let [connections, mostConnections] = [0, 0];
  const forward: RequestListener = (incoming, response) => {
    targets.push(incoming.url ?? "");
    const { method, headers } = incoming;
    const outgoing = request(incoming.url ?? "", { method, headers }, (forwarded) => {
      response.writeHead(forwarded.statusCode ?? 0, forwarded.headers);
      forwarded.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  };
  const server = protocol === "https" ? createTlsServer(TLS, forward) : createServer(forward);
  server.on("connect", ({ url = "" }, client: Duplex) => {
    targets.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const service = connect(Number(port), hostname, () => client.write(`HTTP/1.1 ${status} Opened\r\n\r\n`));
    const watch = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        done(null, chunk);
      },
    });
    client.pipe(watch).pipe(service).pipe(client);
    for (const end of [client, service]) end.on("error", () => {});
    client.on("close", () => service.destroy());
  });
  server.on("connection", (socket: Socket) => {
    connections += 1;
    mostConnections = Math.max(mostConnections, connections);
    socket.on("close", () => {
      connections -= 1;
    });
  });
  const port = await listen(server);
  return {
    origin: `${protocol}://127.0.0.1:${port}`,
    targets,
    tunnelled: () => Buffer.concat(chunks).toString("latin1"),
    mostConnections: () => mostConnections,
  };
}
