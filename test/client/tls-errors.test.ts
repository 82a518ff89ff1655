import { createServer } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { describe, expect, onTestFinished, type TestContext } from "vitest";
import { listen, sending } from "../servers/listen.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { AUTHORITY, type CertificateOptions, FOR_LOOPBACK, issueCertificate } from "./issue-certificate.ts";
import { itFails, type Situation } from "./it-fails.ts";
import { openService } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";
import { authority, behindIntermediate, commonAuthority, requireOpenssl, signed, type Trust } from "./trust.ts";

async function certify(issue: () => Trust, context: TestContext): Promise<Situation> {
  requireOpenssl(context);
  const { caCertificate, ...tls } = issue();
  return { baseUrl: (await openService({ tls })).baseUrl, options: { caCertificate } };
}

const untrusted = () => issueCertificate({ issuer: commonAuthority() });
const otherHost = () => signed({ extensions: ["subjectAltName=DNS:other.example,IP:192.0.2.1"] });
const otherSelf = () => ({ ...issueCertificate(), caCertificate: authority().cert });
const otherAuthority = () => ({ ...untrusted(), caCertificate: authority("Another authority").cert });

function untrustedChain(): Trust {
  const { key, cert } = untrusted();
  return { key, cert: cert + commonAuthority().cert };
}

function renewed(): Trust {
  const withoutIds = ["subjectKeyIdentifier=none", "authorityKeyIdentifier=none"];
  const renewable = () => authority("Example authority", { extensions: [...AUTHORITY, ...withoutIds] });
  const extensions = [...FOR_LOOPBACK, ...withoutIds];
  return { ...issueCertificate({ issuer: renewable(), extensions }), caCertificate: renewable().cert };
}

describe("a certificate", () => {
  itFails("ERR_TLS", certify, [
    [
      "has expired",
      () => signed({ until: "20200102000000Z" }),
      /\(valid until Jan {1,2}2 00:00:00 2020 GMT\).*expired; renew it .* the clock of this machine/,
    ],
    ["is not valid yet", () => signed({ from: "21190101000000Z" }), /not valid yet; check the clock of this machine/],
    ["is for another host", otherHost, /another host name \(other\.example, 192\.0\.2\.1\); check.*baseUrl/],
    ["is signed by itself", () => issueCertificate(), /self-signed; set caCertificate/],
    ["is signed by itself, and another one is trusted", otherSelf, /self-signed and is not the one in/],
    ["has an unknown authority", untrusted, /not trusted here \(Example authority\); set caCertificate .*intermediate/],
    ["comes from another authority than that in caCertificate", otherAuthority, /is not the one in caCertificate/],
    [
      "comes with an unknown authority",
      untrustedChain,
      /not trusted here \(Example authority\); set caC.*SELF_SIGNED_CERT_IN_CHAIN/,
    ],
    ["comes from an authority that has another key now", renewed, /did not sign it/],
    ["comes without the intermediate one", () => behindIntermediate("root"), /intermediate/],
    ["comes from a trusted intermediate authority without its root", () => behindIntermediate("intermediate"), /root/],
  ]);
});

async function startTlsServer(options: ServerOptions): Promise<string> {
  return `https://127.0.0.1:${await listen(createTlsServer(options))}`;
}

describe.each([true, false])("a certificate that OpenSSL refuses is no outage, behind a proxy: %s,", (isProxied) => {
  async function certifyUnsuitably(options: CertificateOptions, context: TestContext): Promise<Situation> {
    requireOpenssl(context);
    const { caCertificate, ...certificate } = signed(options);
    const baseUrl = await startTlsServer({ ...certificate, ciphers: "DEFAULT@SECLEVEL=0" });
    const { origin, targets } = await startProxyStandIn();
    // It is not asked again.
    onTestFinished(() => expect(targets).toHaveLength(isProxied ? 1 : 0));
    return {
      baseUrl,
      options: { caCertificate, maxRetries: 3 },
      environment: isProxied ? { https_proxy: origin } : {},
    };
  }

  const begin = "^its certificate is refused, because OpenSSL says";
  const route = isProxied ? ", through the proxy 127\\.0\\.0\\.1:\\d+" : "";
  itFails("ERR_TLS", certifyUnsuitably, [
    [
      "another purpose",
      { extensions: [...FOR_LOOPBACK, "extendedKeyUsage=clientAuth"] },
      `${begin} "unsuitable certificate purpose"; .* \\(INVALID_PURPOSE${route}\\)`,
    ],
    ["a short key", { newKey: ["rsa:1024"] }, `${begin} "EE certificate key too weak"; .* \\(UNSPECIFIED${route}\\)`],
  ]);
});

/** Sends a fatal alert of TLS in the place of a handshake. */
const alerting = (alert: number) => sending(Buffer.from([21, 3, 3, 0, 2, 2, alert]), "https");
/** A ServerHello without extensions. */
const helloOf = (version: string) => Buffer.from(`160303002a02000026${version}${"00".repeat(32)}00c02f00`, "hex");
const OLD = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
const MUTUAL = { ...TLS, requestCert: true, rejectUnauthorized: true };
const startPlain = async () => `https://127.0.0.1:${await listen(createServer())}`;

/** nginx accepts the connection, and refuses the request with a page. */
async function startNginx(): Promise<string> {
  const page = "<center><h1>400 Bad Request</h1></center>\r\n<center>No required SSL certificate was sent</center>";
  const server = createTlsServer(TLS, (_, response) =>
    response.writeHead(400, { "Content-Type": "text/html" }).end(page),
  );
  return `https://127.0.0.1:${await listen(server)}`;
}

/** baseUrl and its scheme are right. */
const HANDSHAKE = "^the TLS handshake failed; check the TLS of the server, and of what stands in front of it";

async function reach(start: () => Promise<string>): Promise<Situation> {
  return { baseUrl: await start(), options: { caCertificate: CA_FILE } };
}

itFails("ERR_TLS", reach, [
  ["no TLS later than 1.1", () => startTlsServer({ ...TLS, ...OLD }), "TLS 1.2"],
  ["clients' certificates in TLS 1.2", () => startTlsServer({ ...MUTUAL, maxVersion: "TLSv1.2" }), "from its clients"],
  ["plain HTTP at an https address", startPlain, "does not speak TLS.*baseUrl"],
  ["clients' certificates in TLS 1.3", () => startTlsServer(MUTUAL), "from its clients.*_ALERT_CERTIFICATE_REQUIRED"],
  ["clients' certificates at nginx", startNginx, "from its clients.*\\(status 400\\)"],
  ...[42, 48, 49].map((alert) => [`alert ${alert}`, alerting(alert), "from its clients"] as const),
  [
    "alert unrecognized_name",
    alerting(112),
    "^it does not know the host name of baseUrl; check the host of baseUrl, or add the name to the server",
  ],
  ["no secure renegotiation", sending(helloOf("0303"), "https"), "secure renegotiation"],
  ["alert internal_error", alerting(80), `${HANDSHAKE} \\(ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR\\)$`],
  ["an old version of TLS", sending(helloOf("0301"), "https"), `${HANDSHAKE} \\(ERR_SSL_UNSUPPORTED_PROTOCOL\\)$`],
]);
