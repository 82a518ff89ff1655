import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PROXY_PASSWORD, PROXY_USER } from "./proxy-client.ts";
import { findProgram, type Place, type RealServer, startServerProcess } from "./server-process.ts";

/** A proxy that requires a user and a password. Its access log has the method and the address of each request. */
export interface RealProxy extends RealServer {
  readonly name: string;
  readonly password: string;
  /** The status with which it refuses another password. */
  readonly refusal: number;
}

const squid = findProgram("squid");
const helper = ["/usr/lib/squid", "/usr/lib64/squid", "/usr/libexec/squid"]
  .map((folder) => join(folder, "basic_ncsa_auth"))
  .find((path) => existsSync(path));
const tinyproxy = findProgram("tinyproxy");

export const REAL_PROXIES: readonly RealProxy[] = [
  {
    name: "squid",
    password: PROXY_PASSWORD,
    refusal: 407,
    missing: squid === undefined || helper === undefined ? "squid with basic_ncsa_auth is not installed" : undefined,
    start: () =>
      startServerProcess(async (place) => {
        const file = join(place.directory, "squid.conf");
        await writeFile(file, await configureSquid(place));
        return { program: squid ?? "", arguments: ["-N", "-f", file], stopSignal: "SIGTERM" };
      }),
  },
  {
    name: "tinyproxy",
    // Its configuration takes few other characters.
    password: "plain-0001",
    refusal: 401,
    missing: tinyproxy === undefined ? "tinyproxy is not installed" : undefined,
    start: () =>
      startServerProcess(async ({ port, directory, accessLog }) => {
        const file = join(directory, "tinyproxy.conf");
        const lines = [`Port ${port}`, "Listen 127.0.0.1", "Timeout 30", `LogFile "${accessLog}"`, "LogLevel Connect"];
        await writeFile(file, [...lines, `BasicAuth ${PROXY_USER} plain-0001`, ""].join("\n"));
        return { program: tinyproxy ?? "", arguments: ["-d", "-c", file], stopSignal: "SIGTERM" };
      }),
  },
];

async function configureSquid({ port, directory, accessLog }: Place): Promise<string> {
  const users = join(directory, "users");
  const hash = createHash("md5").update(PROXY_PASSWORD).digest("hex");
  await writeFile(users, `${PROXY_USER}:${hash}\n`);
  // Started by root, it writes as somebody else.
  await writeFile(accessLog, "");
  await chmod(accessLog, 0o666);
  return [
    `http_port 127.0.0.1:${port}`,
    "visible_hostname localhost",
    "pid_filename none",
    "cache_log /dev/null",
    "cache deny all",
    "logformat line %>Hs %rm %ru",
    `access_log stdio:${accessLog} line`,
    "max_filedescriptors 1024",
    "shutdown_lifetime 0 seconds",
    `auth_param basic program ${helper} ${users}`,
    "acl known proxy_auth REQUIRED",
    "http_access allow known",
    "http_access deny all",
    "",
  ].join("\n");
}
