import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PROXY_PASSWORD, PROXY_USER } from "./proxy-client.ts";
import { findProgram, type ServerProcess, startServerProcess } from "./server-process.ts";

const NOT_FOUND = "squid with basic_ncsa_auth is not installed";

/** Where squid and the helper that knows its users are, or why they can't be used. */
export function findSquid(): { readonly program: string; readonly helper: string } | string {
  const program = findProgram("squid");
  const folders = ["/usr/lib/squid", "/usr/lib64/squid", "/usr/libexec/squid"];
  const helper = folders.map((folder) => join(folder, "basic_ncsa_auth")).find((path) => existsSync(path));
  return program === undefined || helper === undefined ? NOT_FOUND : { program, helper };
}

/** Starts squid, which requires credentials and connects to any port; its log has `<status> <method> <address>`. */
export async function startSquid(found: { readonly program: string; readonly helper: string }): Promise<ServerProcess> {
  return await startServerProcess(async ({ port, directory, accessLog }) => {
    const users = join(directory, "users");
    const configuration = join(directory, "squid.conf");
    const hash = createHash("md5").update(PROXY_PASSWORD).digest("hex");
    await writeFile(users, `${PROXY_USER}:${hash}\n`);
    // Started by root, it writes as somebody else.
    await writeFile(accessLog, "");
    await chmod(accessLog, 0o666);
    const lines = [
      `http_port 127.0.0.1:${port}`,
      "visible_hostname localhost",
      "pid_filename none",
      "cache_log /dev/null",
      "cache deny all",
      "logformat line %>Hs %rm %ru",
      `access_log stdio:${accessLog} line`,
      "max_filedescriptors 1024",
      "shutdown_lifetime 0 seconds",
      `auth_param basic program ${found.helper} ${users}`,
      "acl known proxy_auth REQUIRED",
      "http_access allow known",
      "http_access deny all",
      "",
    ];
    await writeFile(configuration, lines.join("\n"));
    return { program: found.program, arguments: ["-N", "-f", configuration], stopSignal: "SIGTERM" };
  });
}
