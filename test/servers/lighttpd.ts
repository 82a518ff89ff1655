import { createHash } from "node:crypto";
import { glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PASSWORD, USERNAME } from "../digest/digest-server.ts";
import {
  CERTIFICATE_FILE,
  type Command,
  findProgram,
  KEY_FILE,
  type Place,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";

/** The profiles. Each is a realm with an algorithm of its own, below a path of its own. */
const PROFILES = [
  { path: "/md5", algorithm: "MD5", hashes: ["md5"], userhash: false },
  { path: "/sha256", algorithm: "SHA-256", hashes: ["sha256"], userhash: false },
  // This one sends two challenges, each in a header line of its own.
  { path: "/both", algorithm: "SHA-256|MD5", hashes: ["sha256", "md5"], userhash: false },
  { path: "/sha512-256", algorithm: "SHA-512-256", hashes: ["sha512-256"], userhash: false },
  { path: "/userhash", algorithm: "MD5", hashes: ["md5"], userhash: true },
] as const;

const NOT_FOUND = "lighttpd with mod_openssl is not installed";

/** Returns where lighttpd is installed, or the reason why it can't be used. */
export async function findLighttpd(): Promise<{ readonly program: string } | string> {
  const program = findProgram("lighttpd");
  const tls = await firstFile("/usr/lib{,64,/*}/lighttpd/mod_openssl.so");
  return program === undefined || tls === undefined ? NOT_FOUND : { program };
}

async function firstFile(pattern: string): Promise<string | undefined> {
  for await (const path of glob(pattern)) return path;
  return undefined;
}

/** Returns the library that makes a program's clock run faster, or the reason why it can't be used. */
export async function findFasterClock(): Promise<{ readonly library: string } | string> {
  const library = await firstFile("/usr/lib{,64,/*}/faketime/libfaketime.so.1");
  return library === undefined ? "faketime is not installed" : { library };
}

/** Starts lighttpd over TLS. It has `<profile>/settings.json` behind Digest. */
export async function startLighttpd(
  { program }: { readonly program: string },
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return await startServerProcess(async (place): Promise<Command> => {
    const { directory } = place;
    const configuration = join(directory, "lighttpd.conf");
    await mkdir(join(directory, "documents"));
    await writeFile(join(directory, "documents", "settings.json"), '{"logPath":"/var/log/monitoring-agent.log"}\n');
    await writeFile(join(directory, "identity.pem"), await identity(), { mode: 0o600 });
    await writeFile(join(directory, "users"), PROFILES.flatMap(userLines).join(""));
    await writeFile(configuration, configure(place));
    return { program, arguments: ["-D", "-f", configuration], environment, stopSignal: "SIGINT" };
  });
}

async function identity(): Promise<string> {
  const files = await Promise.all([CERTIFICATE_FILE, KEY_FILE].map((file) => readFile(file, "utf8")));
  return files.join("");
}

function userLines({ path, hashes, userhash }: (typeof PROFILES)[number]): string[] {
  return hashes.map((name) => {
    const hash = (text: string) => createHash(name).update(text).digest("hex");
    const hashedName = userhash ? `:${hash(`${USERNAME}:${path}`)}` : "";
    return `${USERNAME}:${path}:${hash(`${USERNAME}:${path}:${PASSWORD}`)}${hashedName}\n`;
  });
}

function configure({ port, directory, accessLog }: Place): string {
  const aliases = PROFILES.map(({ path }) => `"${path}/" => "${directory}/documents/"`);
  const protections = PROFILES.map(({ path, algorithm, userhash }) => {
    const option = userhash ? ', "userhash" => "enable"' : "";
    return `"${path}/" => ("method" => "digest", "algorithm" => "${algorithm}", "realm" => "${path}", "require" => "valid-user"${option})`;
  });
  return [
    'server.modules = ("mod_openssl", "mod_alias", "mod_auth", "mod_authn_file", "mod_accesslog")',
    `server.document-root = "${directory}/documents"`,
    'server.bind = "127.0.0.1"',
    `server.port = ${port}`,
    `server.errorlog = "${directory}/error.log"`,
    `accesslog.filename = "${accessLog}"`,
    'accesslog.format = "%s %{Host}i %U authorization=%{Authorization}i info=%{Authentication-Info}o"',
    "server.max-keep-alive-requests = 1000000",
    "server.max-keep-alive-idle = 30",
    'ssl.engine = "enable"',
    `ssl.pemfile = "${directory}/identity.pem"`,
    'mimetype.assign = ("" => "application/json")',
    `alias.url = (${aliases.join(", ")})`,
    'auth.backend = "htdigest"',
    `auth.backend.htdigest.userfile = "${directory}/users"`,
    `auth.require = (${protections.join(", ")})`,
    "",
  ].join("\n");
}
