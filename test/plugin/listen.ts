import type { Server } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { bindServer } from "../stand-in-engine/bind-server.ts";

/** Lets a server listen on a free port of 127.0.0.1 until the test ends. Returns its host and port. */
export async function listen(server: Server): Promise<string> {
  onTestFinished(() => server.forceShutdown());
  return bindServer(server);
}
