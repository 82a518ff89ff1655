import { createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Listens on a free port until the test ends. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket.on("error", () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port.");
  return address.port;
}

/** Starts a server that does this with whatever asks it. */
export async function startServer(react: (socket: Socket) => void, protocol = "http"): Promise<string> {
  const server = createServer((socket) => void socket.once("data", () => react(socket)));
  return `${protocol}://127.0.0.1:${await listen(server)}`;
}

export function sending(bytes: string | Uint8Array, protocol?: string): () => Promise<string> {
  return () => startServer((socket) => socket.end(bytes), protocol);
}
