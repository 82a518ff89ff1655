import { connect, createServer, type Server } from "node:net";

/** Starts a way to a port on this machine on which every request takes this long. */
export async function startDelay(port: string, milliseconds: number): Promise<{ server: Server; origin: string }> {
  const server = createServer((client) => {
    const upstream = connect(Number(port), "127.0.0.1");
    client.setNoDelay(true);
    client.on("data", (chunk) => setTimeout(() => upstream.write(chunk), milliseconds));
    upstream.on("data", (chunk) => client.write(chunk));
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The delay does not listen on a port.");
  return { server, origin: `http://127.0.0.1:${address.port}` };
}
