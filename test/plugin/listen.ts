import { type Server, ServerCredentials } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";

/** Lets a server listen on a free port of 127.0.0.1 until the test ends. Returns its host and port. */
export async function listen(server: Server): Promise<string> {
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}
