import { type Server, ServerCredentials } from "@grpc/grpc-js";

/** Lets a server listen on a free port of 127.0.0.1. Returns its host and port. */
export async function bindServer(server: Server): Promise<string> {
  const port = await new Promise<number>((resolve, reject) => {
    const done = (error: Error | null, bound: number) => (error ? reject(error) : resolve(bound));
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), done);
  });
  return `127.0.0.1:${port}`;
}
