import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram, type ServerProcess, startServerProcess } from "./server-process.ts";

const NOT_FOUND = "tinyproxy is not installed";

/** Where tinyproxy is, or why it can't be used. */
export function findTinyproxy(): { readonly program: string } | string {
  const program = findProgram("tinyproxy");
  return program === undefined ? NOT_FOUND : { program };
}

/** Starts tinyproxy, its configuration extended by these lines; its log has each request's first line. */
export async function startTinyproxy(
  { program }: { readonly program: string },
  ...directives: readonly string[]
): Promise<ServerProcess> {
  return await startServerProcess(async ({ port, directory, accessLog }) => {
    const configuration = join(directory, "tinyproxy.conf");
    const lines = [`Port ${port}`, "Listen 127.0.0.1", "Timeout 30", `LogFile "${accessLog}"`, "LogLevel Connect"];
    await writeFile(configuration, [...lines, ...directives, ""].join("\n"));
    return { program, arguments: ["-d", "-c", configuration], stopSignal: "SIGTERM" };
  });
}
