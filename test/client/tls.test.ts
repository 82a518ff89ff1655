import { execFile } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { createServer as createSilentServer } from "node:net";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
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

beforeEach((context) => {
  if (findProgram("openssl") === undefined) context.skip("openssl is not installed");
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
    expect(await read(baseUrl, { caCertificate: issuer.cert })).toBe(
      "ERR_TLS its certificate or that of its authority has expired; it has to be renewed on the service (CERT_HAS_EXPIRED).",
    );
  });

  it("is not valid yet", async () => {
    const issuer = authority();
    const { baseUrl } = await startTlsService(issueCertificate({ issuer, from: "21190101000000Z" }));
    expect(await read(baseUrl, { caCertificate: issuer.cert })).toBe(
      "ERR_TLS its certificate is not valid yet; check the clocks here and there (CERT_NOT_YET_VALID).",
    );
  });

  it("is signed by itself, until caCertificate is that certificate", async () => {
    const certificate = issueCertificate();
    const { baseUrl } = await startTlsService(certificate);
    expect(await read(baseUrl)).toBe(
      "ERR_TLS its certificate is signed by itself; set caCertificate to that certificate (DEPTH_ZERO_SELF_SIGNED_CERT).",
    );
    expect(await read(baseUrl, { caCertificate: authority().cert })).toBe(
      "ERR_TLS its certificate is signed by itself and is not the one in caCertificate; set caCertificate to that certificate (DEPTH_ZERO_SELF_SIGNED_CERT).",
    );
    expect(await read(baseUrl, { caCertificate: certificate.cert })).toBe("/var/log/agent.log");
  });

  it("is for another host name", async () => {
    const issuer = authority();
    const { baseUrl } = await startTlsService(issueCertificate({ issuer, extensions: ["subjectAltName=DNS:other"] }));
    expect(await read(baseUrl, { caCertificate: issuer.cert })).toBe(
      "ERR_TLS its certificate is for another host name; check the host of baseUrl (ERR_TLS_CERT_ALTNAME_INVALID).",
    );
  });

  it("comes from an unknown authority, until caCertificate is that authority's", async () => {
    const issuer = authority();
    const { baseUrl } = await startTlsService(issueCertificate({ issuer }));
    expect(await read(baseUrl)).toBe(
      "ERR_TLS its certificate comes from an authority that is not trusted here; set caCertificate to that authority's certificate, or let the service send the intermediate certificates too (UNABLE_TO_VERIFY_LEAF_SIGNATURE).",
    );
    expect(await read(baseUrl, { caCertificate: authority("Another authority").cert })).toBe(
      "ERR_TLS its certificate comes from an authority that is not trusted here and is not the one in caCertificate; set caCertificate to that authority's certificate, or let the service send the intermediate certificates too (UNABLE_TO_VERIFY_LEAF_SIGNATURE).",
    );
    expect(await read(baseUrl, { caCertificate: issuer.cert })).toBe("/var/log/agent.log");
  });

  it("comes from an unknown authority that the service sends too", async () => {
    const issuer = authority();
    const { key, cert } = issueCertificate({ issuer });
    const { baseUrl } = await startTlsService({ key, cert: cert + issuer.cert });
    expect(await read(baseUrl)).toBe(
      "ERR_TLS its certificate comes from an authority that is not trusted here; set caCertificate to that authority's certificate (SELF_SIGNED_CERT_IN_CHAIN).",
    );
    expect(await read(baseUrl, { caCertificate: authority("Another authority").cert })).toBe(
      "ERR_TLS its certificate comes from an authority that is not trusted here and is not the one in caCertificate; set caCertificate to that authority's certificate (SELF_SIGNED_CERT_IN_CHAIN).",
    );
  });

  it("comes from an authority that has another key now", async () => {
    const withoutIds = ["subjectKeyIdentifier=none", "authorityKeyIdentifier=none"];
    const renewable = () => authority("Example authority", { extensions: [...AUTHORITY, ...withoutIds] });
    const extensions = [...FOR_LOOPBACK, ...withoutIds];
    const { baseUrl } = await startTlsService(issueCertificate({ issuer: renewable(), extensions }));
    expect(await read(baseUrl, { caCertificate: renewable().cert })).toBe(
      "ERR_TLS its certificate names an authority that did not sign it; set caCertificate to that authority's present certificate (CERT_SIGNATURE_FAILURE).",
    );
  });

  it("comes without the intermediate one", async () => {
    const root = authority();
    const intermediate = authority("Example intermediate", { issuer: root });
    const { key, cert } = issueCertificate({ issuer: intermediate });
    const incomplete = await startTlsService({ key, cert });
    expect(await read(incomplete.baseUrl, { caCertificate: root.cert })).toContain(
      "or let the service send the intermediate certificates too (UNABLE_TO_VERIFY_LEAF_SIGNATURE).",
    );
    const complete = await startTlsService({ key, cert: cert + intermediate.cert });
    expect(await read(complete.baseUrl, { caCertificate: root.cert })).toBe("/var/log/agent.log");
  });

  it("comes from an intermediate authority that is trusted without its root", async () => {
    const intermediate = authority("Example intermediate", { issuer: authority() });
    const { baseUrl } = await startTlsService(issueCertificate({ issuer: intermediate }));
    expect(await read(baseUrl, { caCertificate: intermediate.cert })).toBe(
      "ERR_TLS its certificate comes from an intermediate authority whose root is not trusted here; set caCertificate to the root's certificate (UNABLE_TO_GET_ISSUER_CERT).",
    );
  });
});

describe("a service is refused with advice of its own where it", () => {
  it("speaks no TLS later than 1.1", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await read(await startTlsServer({ ...issueCertificate(), ...old }))).toBe(
      "ERR_TLS it speaks only versions of TLS that are too old; let it speak TLS 1.2 or 1.3 (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION).",
    );
  });

  it.each([
    [
      "TLSv1.3",
      "ERR_CONNECTION the connection was cut before any answer; try again, and check the port and the scheme of baseUrl, proxies on the way, and that it wants no certificate from its client, as this client sends none (UND_ERR_SOCKET).",
    ],
    [
      "TLSv1.2",
      "ERR_TLS it wants a certificate from its client, and this client sends none, or it has no cipher in common with it; let it do without the one, and allow the usual ciphers (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE).",
    ],
  ] as const)("wants a certificate from its client, in %s", async (maxVersion, says) => {
    const certificate = issueCertificate();
    const mutual = { requestCert: true, rejectUnauthorized: true, ca: certificate.cert, maxVersion };
    const baseUrl = await startTlsServer({ ...certificate, ...mutual });
    // Node names the alert after the release of OpenSSL.
    const end = (await read(baseUrl, { caCertificate: certificate.cert })).replace("SSLV3_ALERT", "SSL/TLS_ALERT");
    expect(end).toBe(says);
  });

  it("speaks plain HTTP at an https address", async () => {
    const port = await listen(createHttpServer());
    expect(await read(`https://127.0.0.1:${port}`)).toBe(
      "ERR_TLS the port speaks no TLS; check the port and the scheme of baseUrl (ERR_SSL_WRONG_VERSION_NUMBER).",
    );
  });

  // undici aborts nothing before it is connected, and connects for ten seconds.
  it("says nothing at an https address, after timeoutSeconds", { timeout: 8000 }, async () => {
    const baseUrl = `https://127.0.0.1:${await listen(createSilentServer())}`;
    expect(await read(baseUrl, { timeoutSeconds: 0.2 })).toMatch(/^ERR_TIMEOUT no answer within 0\.2 s/);
  });

  it("speaks TLS at an http address", async () => {
    const { baseUrl } = await startTlsService(issueCertificate());
    expect(await read(baseUrl.replace("https:", "http:"))).toMatch(
      /^ERR_CONNECTION the connection was cut.*; try again, and check .*the scheme of baseUrl/,
    );
  });
});

describe("trust", () => {
  /** Reads in a process of its own with these variables, and gives what each read ended with. */
  async function readInProcess(
    environment: Readonly<Record<string, string>>,
    reads: readonly Partial<ConnectionOptions>[],
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
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], options);
    return JSON.parse(stdout);
  }

  it("in caCertificate is added to that of the system", async () => {
    const [known, given] = [authority("Known authority"), authority("Given authority")];
    const ofKnown = await startTlsService(issueCertificate({ issuer: known }));
    const ofGiven = await startTlsService(issueCertificate({ issuer: given }));
    const reads = [
      { baseUrl: ofKnown.baseUrl, caCertificate: given.cert },
      { baseUrl: ofGiven.baseUrl, caCertificate: given.cert },
      { baseUrl: ofKnown.baseUrl },
      { baseUrl: ofGiven.baseUrl },
    ];
    expect(await readInProcess({ NODE_EXTRA_CA_CERTS: known.certFile }, reads)).toEqual([
      "/var/log/agent.log",
      "/var/log/agent.log",
      "/var/log/agent.log",
      "ERR_TLS",
    ]);
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
