import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KEYS, writeSettings } from "./reads.ts";
import {
  CERTIFICATE_FILE,
  type Command,
  findProgram,
  KEY_FILE,
  type Place,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";

/** The profiles. Each is a realm with directives of its own, below a path of its own. */
const PROFILES = [
  { path: "/default", realm: "Example Public API", directives: [] },
  { path: "/short", realm: "short", directives: ["AuthDigestNonceLifetime 2"] },
  { path: "/onetime", realm: "onetime", directives: ["AuthDigestNonceLifetime 0"] },
  { path: "/forever", realm: "forever", directives: ["AuthDigestNonceLifetime -1"] },
  { path: "/strict", realm: "strict", directives: ["AuthDigestNcCheck On"] },
  { path: "/comma", realm: "Ops, Manager qop=none, nonce=x", directives: [] },
] as const;

const MODULES = [
  "mpm_event",
  "unixd",
  "log_config",
  "authn_core",
  "authn_file",
  "authz_core",
  "authz_user",
  "auth_digest",
  "alias",
  "ssl",
];

const NOT_FOUND = "Apache httpd with mod_auth_digest and mod_ssl is not installed";

/** Returns where Apache httpd is installed, or the reason why it can't be used. */
export function findApache(): { readonly program: string; readonly modules: string } | string {
  const program = findProgram("apache2", "httpd");
  const folders = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules"];
  const modules = folders.find((folder) =>
    ["auth_digest", "ssl"].every((name) => existsSync(moduleFile(folder, name))),
  );
  return program === undefined || modules === undefined ? NOT_FOUND : { program, modules };
}

function moduleFile(folder: string, name: string): string {
  return join(folder, `mod_${name}.so`);
}

/** Starts Apache httpd over TLS. It has the settings below each profile behind Digest, and redirects `/elsewhere` to another origin. */
export async function startApache(found: {
  readonly program: string;
  readonly modules: string;
}): Promise<ServerProcess> {
  return await startServerProcess(async (place): Promise<Command> => {
    const documents = join(place.directory, "documents");
    const users = join(place.directory, "users");
    const configuration = join(place.directory, "httpd.conf");
    await mkdir(documents);
    await writeSettings(documents);
    await writeFile(users, PROFILES.map(({ realm }) => userLine(realm)).join(""));
    await writeFile(configuration, configure(place, found.modules, documents, users));
    return { program: found.program, arguments: ["-f", configuration, "-DFOREGROUND"], stopSignal: "SIGWINCH" };
  });
}

function userLine(realm: string): string {
  const hash = createHash("md5").update(`${KEYS.publicKey}:${realm}:${KEYS.privateKey}`).digest("hex");
  return `${KEYS.publicKey}:${realm}:${hash}\n`;
}

function configure(place: Place, modules: string, documents: string, users: string): string {
  const { port, directory, accessLog } = place;
  const loaded = MODULES.filter((name) => existsSync(moduleFile(modules, name)));
  return [
    `ServerRoot "${directory}"`,
    "ServerName localhost",
    `Listen 127.0.0.1:${port}`,
    `PidFile "${join(directory, "httpd.pid")}"`,
    `DefaultRuntimeDir "${directory}"`,
    `Mutex "file:${directory}" default`,
    ...loaded.map((name) => `LoadModule ${name}_module "${moduleFile(modules, name)}"`),
    // If root starts it, it serves as this user.
    "User #65534",
    "Group #65534",
    "StartServers 1",
    "ServerLimit 1",
    "ThreadsPerChild 64",
    "MaxRequestWorkers 64",
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
