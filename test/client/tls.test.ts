import { execFile, execFileSync } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { createServer as createSilentServer } from "node:net";
import tls from "node:tls";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { AgentLogConfigClient, type ConnectionOptions } from "../../sdk/client/index.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";
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

const PROJECT_ID = "0123456789abcdef01234567";
const KEYS = { publicKey: "publickey", privateKey: "private-key-0001" };

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

async function startTlsService(tls: { readonly key: string; readonly cert: string }): Promise<Service> {
  const service = await startService({ tls });
  onTestFinished(() => service.close());
  service.set(PROJECT_ID, "monitoring", { logPath: "/var/log/agent.log" });
  return service;
}

async function startTlsServer(options: ServerOptions): Promise<string> {
  return `https://127.0.0.1:${await listen(createServer(options))}`;
}

/** What a read ends with: a code and what follows "from <host>: ", or the path that was read. */
async function read(baseUrl: string, options: Partial<ConnectionOptions> = {}): Promise<string> {
  const client = new AgentLogConfigClient({ baseUrl, ...KEYS, allowHttp: true, maxRetries: 0, ...options });
  onTestFinished(() => client.close());
  try {
    return (await client.get({ projectId: PROJECT_ID, agent: "monitoring" })).logPath ?? "nothing";
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return `${error.code} ${error.message.replace(/^Can't read .* from \S+: | See https:\S+$/g, "")}`;
  }
}

describe("a certificate is refused with advice of its own where it", () => {
  it("has expired", async () => {
    const issuer = authority();
    const { baseUrl } = await startTlsService(issueCertificate({ issuer, until: "20200102000000Z" }));
    expect(await read(baseUrl, { caCertificate: issuer.cert })).toMatch(
      /^ERR_TLS .*\(valid until Jan {1,2}2 00:00:00 2020 GMT\).*expired/,
    );
  });

  it("is not valid yet", async () => {
    const issuer = authority();
    const { baseUrl } = await startTlsService(issueCertificate({ issuer, from: "21190101000000Z" }));
    expect(await read(baseUrl, { caCertificate: issuer.cert })).toMatch(/^ERR_TLS .*not valid yet.*clocks/);
  });

  it("is signed by itself, until caCertificate is that certificate", async () => {
    const certificate = issueCertificate();
    const { baseUrl } = await startTlsService(certificate);
    expect(await read(baseUrl)).toMatch(/^ERR_TLS .*self-signed; set caCertificate/);
    expect(await read(baseUrl, { caCertificate: authority().cert })).toMatch(/self-signed and is not the one in/);
    expect(await read(baseUrl, { caCertificate: certificate.cert })).toBe("/var/log/agent.log");
  });

  it("is for another host name", async () => {
    const issuer = authority();
    const { baseUrl } = await startTlsService(
      issueCertificate({ issuer, extensions: ["subjectAltName=DNS:other.example,IP:192.0.2.1"] }),
    );
    expect(await read(baseUrl, { caCertificate: issuer.cert })).toMatch(
      /^ERR_TLS .*another host name \(other\.example, 192\.0\.2\.1\); check.*baseUrl/,
    );
  });

  it("comes from an unknown authority, until caCertificate is that authority's", async () => {
    const issuer = authority();
    const { baseUrl } = await startTlsService(issueCertificate({ issuer }));
    expect(await read(baseUrl)).toMatch(
      /^ERR_TLS .*not trusted here \(Example authority\); set caCertificate .*intermediate/,
    );
    expect(await read(baseUrl, { caCertificate: authority("Another authority").cert })).toMatch(
      /^ERR_TLS .*is not the one in caCertificate/,
    );
    expect(await read(baseUrl, { caCertificate: issuer.cert })).toBe("/var/log/agent.log");
  });

  it("comes from an unknown authority that the service sends too", async () => {
    const issuer = authority();
    const { key, cert } = issueCertificate({ issuer });
    const { baseUrl } = await startTlsService({ key, cert: cert + issuer.cert });
    expect(await read(baseUrl)).toMatch(
      /^ERR_TLS .*not trusted here \(Example authority\); set caCertificate .*SELF_SIGNED_CERT_IN_CHAIN/,
    );
  });

  it("comes from an authority that has another key now", async () => {
    const withoutIds = ["subjectKeyIdentifier=none", "authorityKeyIdentifier=none"];
    const renewable = () => authority("Example authority", { extensions: [...AUTHORITY, ...withoutIds] });
    const extensions = [...FOR_LOOPBACK, ...withoutIds];
    const { baseUrl } = await startTlsService(issueCertificate({ issuer: renewable(), extensions }));
    expect(await read(baseUrl, { caCertificate: renewable().cert })).toMatch(/^ERR_TLS .*did not sign it/);
  });

  it("comes without the intermediate one", async () => {
    const root = authority();
    const intermediate = authority("Example intermediate", { issuer: root });
    const { key, cert } = issueCertificate({ issuer: intermediate });
    const incomplete = await startTlsService({ key, cert });
    expect(await read(incomplete.baseUrl, { caCertificate: root.cert })).toMatch(/^ERR_TLS .*intermediate/);
    const complete = await startTlsService({ key, cert: cert + intermediate.cert });
    expect(await read(complete.baseUrl, { caCertificate: root.cert })).toBe("/var/log/agent.log");
  });

  it("comes from an intermediate authority that is trusted without its root", async () => {
    const intermediate = authority("Example intermediate", { issuer: authority() });
    const { baseUrl } = await startTlsService(issueCertificate({ issuer: intermediate }));
    expect(await read(baseUrl, { caCertificate: intermediate.cert })).toMatch(/^ERR_TLS .*root/);
  });
});

describe("a certificate that is refused for a rarer reason is no outage, through a proxy or not:", () => {
  it.each([
    {
      description: "its purpose",
      options: { extensions: [...FOR_LOOPBACK, "extendedKeyUsage=clientAuth"] },
      says: 'its certificate is refused, because OpenSSL says "unsuitable certificate purpose"; .* (INVALID_PURPOSE)',
    },
    {
      description: "a short key",
      options: { newKey: ["rsa:1024"] },
      says: 'its certificate is refused, because OpenSSL says "EE certificate key too weak"; .* (UNSPECIFIED)',
    },
  ])("$description", async ({ options, says }) => {
    const issuer = authority();
    const baseUrl = await startTlsServer({
      ...issueCertificate({ issuer, ...options }),
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const { origin, targets } = await startProxyStandIn();
    const expected = new RegExp(`^ERR_TLS ${says.replaceAll(/[()]/g, "\\$&")}`);
    expect(await read(baseUrl, { caCertificate: issuer.cert, maxRetries: 3 })).toMatch(expected);
    vi.stubEnv("https_proxy", origin);
    expect(await read(baseUrl, { caCertificate: issuer.cert, maxRetries: 3 })).toMatch(expected);
    expect(targets).toHaveLength(1);
  });
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

  // undici aborts nothing before it is connected, and connects for ten seconds.
  it("says nothing at an https address, after timeoutSeconds", { timeout: 8000 }, async () => {
    const baseUrl = `https://127.0.0.1:${await listen(createSilentServer())}`;
    expect(await read(baseUrl, { timeoutSeconds: 0.2 })).toMatch(/^ERR_TIMEOUT/);
  });

  it("speaks TLS at an http address", async () => {
    const { baseUrl } = await startTlsService(issueCertificate());
    expect(await read(baseUrl.replace("https:", "http:"))).toMatch(/^ERR_CONNECTION .*the scheme of baseUrl/);
  });
});

describe("trust", () => {
  /** Reads in a process of its own with these variables, and gives what each read ended with. */
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
        const read = client.get({ projectId: "${PROJECT_ID}", agent: "monitoring" });
        ends.push(await read.then(({ logPath }) => logPath, ({ code }) => code));
      }
      process.stdout.write(JSON.stringify(ends));`;
    const options = { env: { PATH: process.env["PATH"], ...environment }, timeout: 30_000 };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...flags, "--input-type=module", "-e", program],
      options,
    );
    return JSON.parse(stdout);
  }

  it.each([
    { variable: "NODE_EXTRA_CA_CERTS", flags: [] },
    { variable: "SSL_CERT_FILE", flags: ["--use-openssl-ca"] },
  ])("in caCertificate is added to that of the system, here $variable", async ({ variable, flags }) => {
    const [known, given] = [authority("Known authority"), authority("Given authority")];
    const ofKnown = await startTlsService(issueCertificate({ issuer: known }));
    const ofGiven = await startTlsService(issueCertificate({ issuer: given }));
    const reads = [
      { baseUrl: ofKnown.baseUrl, caCertificate: given.cert },
      { baseUrl: ofGiven.baseUrl, caCertificate: given.cert },
      { baseUrl: ofKnown.baseUrl },
      { baseUrl: ofGiven.baseUrl },
    ];
    expect(await readInProcess({ [variable]: known.certFile }, reads, ...flags)).toEqual([
      "/var/log/agent.log",
      "/var/log/agent.log",
      "/var/log/agent.log",
      "ERR_TLS",
    ]);
  });

  it("in caCertificate is added to that of the system where Node.js has no private function for it", async () => {
    const issuer = authority();
    const { baseUrl } = await startTlsService(issueCertificate({ issuer }));
    const { createSecureContext } = tls;
    vi.spyOn(tls, "createSecureContext").mockImplementation((options) =>
      options === undefined ? { context: {} } : createSecureContext(options),
    );
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await read(baseUrl, { caCertificate: issuer.cert })).toBe("/var/log/agent.log");
    expect(tls.createSecureContext).toHaveBeenCalledWith({ ca: [...tls.getCACertificates(), issuer.cert] });
  });

  it("is not given up by NODE_TLS_REJECT_UNAUTHORIZED=0, through a proxy or not", async () => {
    const { baseUrl, requests } = await startTlsService(issueCertificate());
    const { origin, targets } = await startProxyStandIn();
    const environment = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    expect(await readInProcess(environment, [{ baseUrl }])).toEqual(["ERR_TLS"]);
    expect(await readInProcess({ ...environment, HTTPS_PROXY: origin }, [{ baseUrl }])).toEqual(["ERR_TLS"]);
    expect([targets.length, requests.length]).toEqual([1, 0]);
  });

  it("leaves nothing open that keeps the process alive, through a proxy or not", async () => {
    const certificate = issueCertificate();
    const { baseUrl } = await startTlsService(certificate);
    const { origin } = await startProxyStandIn();
    const reads = [{ baseUrl, caCertificate: certificate.cert }];
    expect(await readInProcess({}, reads)).toEqual(["/var/log/agent.log"]);
    expect(await readInProcess({ HTTPS_PROXY: origin }, reads)).toEqual(["/var/log/agent.log"]);
  });
});
