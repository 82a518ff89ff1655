import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KEYS } from "../client/open-client.ts";
import { CERTIFICATE_FILE, KEY_FILE } from "../client/test-certificate.ts";
import {
  type Command,
  findProgram,
  type Place,
  type RealServer,
  startServerProcess,
  writeSettings,
} from "./server-process.ts";

/** The profiles. Each is a realm with an algorithm of its own, below a path of its own. */
const PROFILES = [
  { path: "/md5", algorithm: "MD5", hashes: ["md5"] },
  { path: "/wrong", algorithm: "SHA-512-256|MD5", hashes: ["sha512-256", "md5"] },
  { path: "/sha256", algorithm: "SHA-256", hashes: ["sha256"] },
  // This one sends two challenges, each in a header line of its own.
  { path: "/both", algorithm: "SHA-256|MD5", hashes: ["sha256", "md5"] },
  { path: "/sha512-256", algorithm: "SHA-512-256", hashes: ["sha512-256"] },
] as const;

const program = findProgram("lighttpd");
const [tls] = globSync("/usr/lib{,64,/*}/lighttpd/mod_openssl.so");

/** lighttpd over TLS has the settings below each profile behind Digest. */
export const LIGHTTPD: RealServer = {
  missing: program === undefined || tls === undefined ? "lighttpd with mod_openssl is not installed" : undefined,
  start: () =>
    startServerProcess(async (place): Promise<Command> => {
      const { directory } = place;
      const configuration = join(directory, "lighttpd.conf");
      const identity = await Promise.all([CERTIFICATE_FILE, KEY_FILE].map((file) => readFile(file, "utf8")));
      await writeSettings(join(directory, "documents"));
      await writeFile(join(directory, "identity.pem"), identity.join(""), { mode: 0o600 });
      await writeFile(join(directory, "users"), PROFILES.flatMap(userLines).join(""));
      await writeFile(configuration, configure(place));
      return { program: program ?? "", arguments: ["-D", "-f", configuration], stopSignal: "SIGINT" };
    }),
};

function userLines({ path, hashes }: (typeof PROFILES)[number]): string[] {
  return hashes.map((name) => {
    const hash = (text: string) => createHash(name).update(text).digest("hex");
    const { publicKey, privateKey } = KEYS;
    return `${publicKey}:${path}:${hash(`${publicKey}:${path}:${privateKey}`)}\n`;
  });
}

function configure({ port, directory, accessLog }: Place): string {
  const aliases = PROFILES.map(({ path }) => `"${path}/" => "${directory}/documents/"`);
  const protections = PROFILES.map(
    ({ path, algorithm }) =>
      `"${path}/" => ("method" => "digest", "algorithm" => "${algorithm}", "realm" => "${path}", "require" => "valid-user")`,
  );
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
