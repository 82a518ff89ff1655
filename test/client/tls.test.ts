import { execFile, execFileSync } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { createServer as createTcpServer } from "node:net";
import tls from "node:tls";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConnectionOptions } from "../../sdk/client/index.ts";
import { listen } from "../servers/listen.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { findProgram } from "../servers/server-process.ts";
import {
  AUTHORITY,
  type Certificate,
  type CertificateOptions,
  FOR_LOOPBACK,
  issueCertificate,
} from "./issue-certificate.ts";
import { KEYS, LOG_PATH, MONITORING, openClient, openService } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";

const openssl = findProgram("openssl");
// macOS has LibreSSL, whose command `ca` differs.
const isOpenssl =
  openssl !== undefined && execFileSync(openssl, ["version"], { encoding: "utf8" }).startsWith("OpenSSL");

afterEach(() => void vi.unstubAllEnvs());

beforeEach((context) => {
  if (!isOpenssl) context.skip("OpenSSL is not installed");
});

function authority(commonName = "Example authority", options: CertificateOptions = {}): Certificate {
  return issueCertificate({ commonName, extensions: AUTHORITY, ...options });
}

let made: Certificate | undefined;
/** An authority that signs for several tests, because openssl takes its time. */
function commonAuthority(): Certificate {
  made ??= authority();
  return made;
}

async function startTlsServer(options: ServerOptions): Promise<string> {
  return `https://127.0.0.1:${await listen(createServer(options))}`;
}

/** What a read ends with: a code and what follows "from <host>: ", or the path that was read. */
async function read(baseUrl: string, options: Partial<ConnectionOptions> = {}): Promise<string> {
  try {
    return String((await openClient({ baseUrl }, options).get(MONITORING)).logPath);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return `${error.code} ${error.message.replace(/^Can't read .* from \S+: | See https:\S+$/g, "")}`;
  }
}

/** What a service has, and what its clients trust. */
interface Trust {
  readonly key: string;
  readonly cert: string;
  readonly caCertificate?: string;
}

/** A certificate of an authority that is trusted. */
function signed(options: CertificateOptions = {}): Trust {
  const issuer = commonAuthority();
  return { ...issueCertificate({ issuer, ...options }), caCertificate: issuer.cert };
}

function behindIntermediate(trusted: "root" | "intermediate", isSent = false): Trust {
  const root = commonAuthority();
  const intermediate = authority("Example intermediate", { issuer: root });
  const { key, cert } = issueCertificate({ issuer: intermediate });
  const caCertificate = trusted === "root" ? root.cert : intermediate.cert;
  return { key, cert: isSent ? cert + intermediate.cert : cert, caCertificate };
}

function renewed(): Trust {
  const withoutIds = ["subjectKeyIdentifier=none", "authorityKeyIdentifier=none"];
  const renewable = () => authority("Example authority", { extensions: [...AUTHORITY, ...withoutIds] });
  const extensions = [...FOR_LOOPBACK, ...withoutIds];
  return { ...issueCertificate({ issuer: renewable(), extensions }), caCertificate: renewable().cert };
}

function untrusted(): Trust {
  return issueCertificate({ issuer: commonAuthority() });
}

it.each<readonly [string, () => Trust, RegExp]>([
  [
    "has expired",
    () => signed({ until: "20200102000000Z" }),
    /^ERR_TLS .*\(valid until Jan {1,2}2 00:00:00 2020 GMT\).*expired/,
  ],
  ["is not valid yet", () => signed({ from: "21190101000000Z" }), /^ERR_TLS .*not valid yet.*clocks/],
  [
    "is for another host name",
    () => signed({ extensions: ["subjectAltName=DNS:other.example,IP:192.0.2.1"] }),
    /^ERR_TLS .*another host name \(other\.example, 192\.0\.2\.1\); check.*baseUrl/,
  ],
  ["is signed by itself", () => issueCertificate(), /^ERR_TLS .*self-signed; set caCertificate/],
  [
    "is signed by itself, and another one is trusted",
    () => ({ ...issueCertificate(), caCertificate: authority().cert }),
    /self-signed and is not the one in/,
  ],
  [
    "comes from an unknown authority",
    untrusted,
    /^ERR_TLS .*not trusted here \(Example authority\); set caCertificate .*intermediate/,
  ],
  [
    "comes from another authority than that in caCertificate",
    () => ({ ...untrusted(), caCertificate: authority("Another authority").cert }),
    /^ERR_TLS .*is not the one in caCertificate/,
  ],
  [
    "comes from an unknown authority that the service sends too",
    () => {
      const { key, cert } = untrusted();
      return { key, cert: cert + commonAuthority().cert };
    },
    /^ERR_TLS .*not trusted here \(Example authority\); set caCertificate .*SELF_SIGNED_CERT_IN_CHAIN/,
  ],
  ["comes from an authority that has another key now", renewed, /^ERR_TLS .*did not sign it/],
  ["comes without the intermediate one", () => behindIntermediate("root"), /^ERR_TLS .*intermediate/],
  [
    "comes from an intermediate authority that is trusted without its root",
    () => behindIntermediate("intermediate"),
    /^ERR_TLS .*root/,
  ],
])("a certificate is refused with advice of its own where it %s", async (_, issue, says) => {
  const { caCertificate, ...tls } = issue();
  const { baseUrl } = await openService({ tls });
  expect(await read(baseUrl, { caCertificate })).toMatch(says);
});

it.each<readonly [string, () => Trust]>([
  ["comes from a trusted authority", signed],
  ["is trusted itself", () => issueCertificate()],
  ["comes with the intermediate one", () => behindIntermediate("root", true)],
])("a certificate is accepted where it %s", async (_, issue) => {
  const { caCertificate, ...tls } = issue();
  const { baseUrl } = await openService({ tls });
  expect(await read(baseUrl, { caCertificate: caCertificate ?? tls.cert })).toBe(LOG_PATH);
});

it.each<readonly [string, CertificateOptions, RegExp]>([
  [
    "its purpose",
    { extensions: [...FOR_LOOPBACK, "extendedKeyUsage=clientAuth"] },
    /^ERR_TLS its certificate is refused, because OpenSSL says "unsuitable certificate purpose"; .* \(INVALID_PURPOSE\)/,
  ],
  [
    "a short key",
    { newKey: ["rsa:1024"] },
    /^ERR_TLS its certificate is refused, because OpenSSL says "EE certificate key too weak"; .* \(UNSPECIFIED\)/,
  ],
])("a certificate that is refused for %s is no outage, through a proxy or not", async (_, options, says) => {
  const { caCertificate, ...certificate } = signed(options);
  const baseUrl = await startTlsServer({ ...certificate, ciphers: "DEFAULT@SECLEVEL=0" });
  const { origin, targets } = await startProxyStandIn();
  expect(await read(baseUrl, { caCertificate, maxRetries: 3 })).toMatch(says);
  vi.stubEnv("https_proxy", origin);
  expect(await read(baseUrl, { caCertificate, maxRetries: 3 })).toMatch(says);
  expect(targets).toHaveLength(1);
});

describe("a service is refused with advice of its own where it", () => {
  it("speaks no TLS later than 1.1", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await read(await startTlsServer({ ...issueCertificate(), ...old }))).toMatch(/^ERR_TLS .*TLS 1.2/);
  });

  it.each([
    ["TLSv1.3", "ERR_CONNECTION"],
    ["TLSv1.2", "ERR_TLS"],
  ] as const)("requires a certificate from its clients, in %s", async (maxVersion, code) => {
    const certificate = issueCertificate();
    const mutual = { requestCert: true, rejectUnauthorized: true, ca: certificate.cert, maxVersion };
    const baseUrl = await startTlsServer({ ...certificate, ...mutual });
    const end = await read(baseUrl, { caCertificate: certificate.cert });
    expect(end).toMatch(new RegExp(`^${code} .*certificate from its clients`));
  });

  it("speaks plain HTTP at an https address", async () => {
    const port = await listen(createHttpServer());
    expect(await read(`https://127.0.0.1:${port}`)).toMatch(/^ERR_TLS .*does not speak TLS.*baseUrl/);
  });

  it("ends the handshake for a reason of its own", async () => {
    const alert = Buffer.from([21, 3, 3, 0, 2, 2, 80]);
    const port = await listen(createTcpServer((socket) => void socket.once("data", () => socket.end(alert))));
    const says = /^ERR_TLS the TLS handshake failed; check baseUrl, .*\(ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR\)/;
    expect(await read(`https://127.0.0.1:${port}`)).toMatch(says);
  });

  it("speaks TLS at an http address", async () => {
    const { baseUrl } = await openService({ tls: issueCertificate() });
    expect(await read(baseUrl.replace("https:", "http:"))).toMatch(/^ERR_CONNECTION .*the scheme of baseUrl/);
  });
});

describe("trust", () => {
  /** Reads in a process of its own with these variables, which no open connection keeps alive, and gives what each read ended with. */
  async function readInProcess(
    environment: Readonly<Record<string, string>>,
    reads: readonly Partial<ConnectionOptions>[],
    ...flags: readonly string[]
  ): Promise<unknown> {
    const program = `
      const { AgentLogConfigClient } = await import(${JSON.stringify(new URL("../../sdk/client/index.ts", import.meta.url).href)});
      const ends = [];
      for (const options of ${JSON.stringify(reads.map((options) => ({ ...KEYS, maxRetries: 0, ...options })))}) {
        const client = new AgentLogConfigClient(options);
        ends.push(await client.get(${JSON.stringify(MONITORING)}).then(({ logPath }) => logPath, ({ code }) => code));
      }
      process.stdout.write(JSON.stringify(ends));`;
    const env = { PATH: process.env["PATH"], ...environment };
    const args = [...flags, "--input-type=module", "-e", program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return JSON.parse(stdout);
  }

  it.each([
    { variable: "NODE_EXTRA_CA_CERTS", flags: [], isProxied: false },
    { variable: "SSL_CERT_FILE", flags: ["--use-openssl-ca"], isProxied: true },
  ])("in caCertificate is added to that of the system, here $variable", async ({ variable, flags, isProxied }) => {
    const given = authority("Given authority");
    const { baseUrl: ofKnown } = await openService({ tls: TLS });
    const { baseUrl: ofGiven } = await openService({ tls: issueCertificate({ issuer: given }) });
    const { origin } = await startProxyStandIn();
    const environment = { [variable]: CA_FILE, HTTPS_PROXY: isProxied ? origin : "" };
    const reads = [
      { baseUrl: ofKnown, caCertificate: given.cert },
      { baseUrl: ofGiven, caCertificate: given.cert },
      { baseUrl: ofKnown },
      { baseUrl: ofGiven },
    ];
    expect(await readInProcess(environment, reads, ...flags)).toEqual([LOG_PATH, LOG_PATH, LOG_PATH, "ERR_TLS"]);
  });

  it("in caCertificate is added to that of the system where Node.js has no private function for it", async () => {
    const { caCertificate = "", ...certificate } = signed();
    const { baseUrl } = await openService({ tls: certificate });
    const { createSecureContext } = tls;
    vi.spyOn(tls, "createSecureContext").mockImplementation((options) =>
      options === undefined ? { context: {} } : createSecureContext(options),
    );
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await read(baseUrl, { caCertificate })).toBe(LOG_PATH);
    expect(tls.createSecureContext).toHaveBeenCalledWith({ ca: [...tls.getCACertificates(), caCertificate] });
  });

  it("is not given up by NODE_TLS_REJECT_UNAUTHORIZED=0, through a proxy or not", async () => {
    const { baseUrl, requests } = await openService({ tls: issueCertificate() });
    const { origin, targets } = await startProxyStandIn();
    for (const HTTPS_PROXY of ["", origin]) {
      const environment = { NODE_TLS_REJECT_UNAUTHORIZED: "0", HTTPS_PROXY };
      expect(await readInProcess(environment, [{ baseUrl }])).toEqual(["ERR_TLS"]);
    }
    expect([targets.length, requests.length]).toEqual([1, 0]);
  });
});
