import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { listen } from "../servers/listen.ts";

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export interface LocalServer {
  readonly origin: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly IncomingMessage[];
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves once the server has received this many requests. */
  reached(count: number): Promise<void>;
}

/** Starts a server on 127.0.0.1 that ends with the test. */
export async function startLocalServer(respond: Respond): Promise<LocalServer> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(request);
    server.emit("received");
    respond(request, response);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  return {
    origin,
    requests,
    sockets,
    async reached(count) {
      while (requests.length < count) await once(server, "received");
    },
  };
}
