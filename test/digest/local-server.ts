import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";

/** One request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Respond = (request: SeenRequest, response: ServerResponse) => void;

export interface LocalServer {
  readonly origin: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves once the server has received this many requests. */
  reached(count: number): Promise<void>;
  /** Resolves once the other side has closed every connection. */
  deserted(): Promise<void>;
  cutConnections(): void;
}

/** Starts a server on 127.0.0.1 that ends with the test. */
export async function startLocalServer(respond: Respond): Promise<LocalServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (incoming, response) => {
    const request = await receive(incoming);
    requests.push(request);
    server.emit("received");
    respond(request, response);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      server.emit("left");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.");

  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    sockets,
    async reached(count) {
      while (requests.length < count) await once(server, "received");
    },
    async deserted() {
      while (sockets.size > 0) await once(server, "left");
    },
    cutConnections() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function receive(incoming: IncomingMessage): Promise<SeenRequest> {
  const { method = "", url: target = "", headers } = incoming;
  let body = "";
  // One character for each byte, so that any body can be compared.
  for await (const chunk of incoming.setEncoding("latin1")) body += chunk;
  return { method, target, headers, body };
}
