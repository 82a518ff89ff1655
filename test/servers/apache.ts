import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
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

/** The profiles. Each is a realm with directives of its own, below a path of its own. */
const PROFILES = [
  { path: "/single", realm: "single", directives: [] },
  { path: "/wrong", realm: "wrong", directives: [] },
  { path: "/default", realm: "Example Public API", directives: [] },
  { path: "/short", realm: "short", directives: ["AuthDigestNonceLifetime 2"] },
  { path: "/onetime", realm: "onetime", directives: ["AuthDigestNonceLifetime 0"] },
  { path: "/forever", realm: "forever", directives: ["AuthDigestNonceLifetime -1"] },
  { path: "/strict", realm: "strict", directives: ["AuthDigestNcCheck On"] },
  { path: "/certificate", realm: "certificate", directives: ["SSLVerifyClient require"] },
  { path: "/comma", realm: "Ops, Manager qop=none, nonce=x", directives: [] },
] as const;

const MODULES = [
  ...["mpm_event", "unixd", "log_config", "alias", "ssl"],
  ...["authn_core", "authn_file", "authz_core", "authz_user", "auth_digest"],
];

const program = findProgram("apache2", "httpd");
const modules = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules"].find((folder) =>
  ["auth_digest", "ssl"].every((name) => existsSync(moduleFile(folder, name))),
);

/** Apache httpd over TLS has the settings below each profile behind Digest, and redirects `/elsewhere` to another origin. */
export const APACHE: RealServer = {
  missing:
    program === undefined || modules === undefined
      ? "Apache httpd with mod_auth_digest and mod_ssl is not installed"
      : undefined,
  start: () =>
    startServerProcess(async (place): Promise<Command> => {
      const documents = join(place.directory, "documents");
      const users = join(place.directory, "users");
      const configuration = join(place.directory, "httpd.conf");
      await writeSettings(documents);
      await writeFile(users, PROFILES.map(({ realm }) => userLine(realm)).join(""));
      await writeFile(configuration, configure(place, documents, users));
      return { program: program ?? "", arguments: ["-f", configuration, "-DFOREGROUND"], stopSignal: "SIGWINCH" };
    }),
};

function moduleFile(folder: string, name: string): string {
  return join(folder, `mod_${name}.so`);
}

function userLine(realm: string): string {
  const hash = createHash("md5").update(`${KEYS.publicKey}:${realm}:${KEYS.privateKey}`).digest("hex");
  return `${KEYS.publicKey}:${realm}:${hash}\n`;
}

function configure({ port, directory, accessLog }: Place, documents: string, users: string): string {
  const files = MODULES.map((name) => [name, moduleFile(modules ?? "", name)]);
  const loaded = files.filter(([, file = ""]) => existsSync(file));
  return [
    `ServerRoot "${directory}"`,
    "ServerName localhost",
    `Listen 127.0.0.1:${port}`,
    `PidFile "${join(directory, "httpd.pid")}"`,
    `DefaultRuntimeDir "${directory}"`,
    `Mutex "file:${directory}" default`,
    ...loaded.map(([name, file]) => `LoadModule ${name}_module "${file}"`),
    // If root starts it, it serves as this user.
    "User #65534",
    "Group #65534",
    "StartServers 1",
    "ServerLimit 1",
    "ThreadLimit 128",
    "ThreadsPerChild 128",
    "MaxRequestWorkers 128",
    "KeepAlive On",
    "MaxKeepAliveRequests 0",
    "KeepAliveTimeout 30",
    `ErrorLog "${join(directory, "error.log")}"`,
    "LogLevel crit",
    'LogFormat "%>s %{Host}i %U authorization=%{Authorization}i info=%{Authentication-Info}o" digest',
    `CustomLog "${accessLog}" digest`,
    "SSLEngine on",
    `SSLCertificateFile "${CERTIFICATE_FILE}"`,
    `SSLCertificateKeyFile "${KEY_FILE}"`,
    `SSLCACertificateFile "${CERTIFICATE_FILE}"`,
    "AuthDigestShmemSize 1M",
    `Redirect 302 /elsewhere https://localhost:${port}/default`,
    `<Directory "${documents}">`,
    "  Require all granted",
    "</Directory>",
    ...PROFILES.map(({ path }) => `Alias ${path} "${documents}"`),
    ...PROFILES.flatMap(({ path, realm, directives }) => [
      `<Location ${path}>`,
      "  AuthType Digest",
      `  AuthName "${realm}"`,
      "  AuthDigestProvider file",
      `  AuthUserFile "${users}"`,
      "  Require valid-user",
      ...directives,
      "</Location>",
    ]),
    "",
  ].join("\n");
}
