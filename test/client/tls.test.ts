import { execFile } from "node:child_process";
import tls from "node:tls";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConnectionOptions } from "../../sdk/client/index.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { issueCertificate } from "./issue-certificate.ts";
import { KEYS, LOG_PATH, MONITORING, openClient, openService } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";
import { authority, behindIntermediate, requireOpenssl, signed, type Trust } from "./trust.ts";

beforeEach(requireOpenssl);

async function read(baseUrl: string, options: Partial<ConnectionOptions>): Promise<string | undefined> {
  return (await openClient({ baseUrl }, options).get(MONITORING)).logPath;
}

it.each<readonly [string, () => Trust]>([
  ["comes from a trusted authority", signed],
  ["is trusted itself", () => issueCertificate()],
  ["comes with the intermediate one", () => behindIntermediate("root", true)],
])("a certificate is accepted where it %s", async (_, issue) => {
  const { caCertificate, ...tls } = issue();
  const { baseUrl } = await openService({ tls });
  expect(await read(baseUrl, { caCertificate: caCertificate ?? tls.cert })).toBe(LOG_PATH);
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
