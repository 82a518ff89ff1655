import { once } from "node:events";
import type { Server } from "node:net";
import { z } from "zod";

/** Lets a server listen on a free port of this machine, and returns the port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return z.object({ port: z.number() }).parse(server.address()).port;
}
