import { once } from "node:events";
import { createServer } from "node:net";
import { describe } from "vitest";
import type { CannedResponse } from "../../sdk/testing/index.ts";
import { listen, sending, startServer } from "../servers/listen.ts";
import { hostOf, PROXY_PASSWORD, proxyAddress } from "../servers/proxy-client.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { asksFor, BASIC, itFails, respond, type Situation } from "./it-fails.ts";
import { openService } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";

const FORBIDDEN = { status: 403, body: "<h1>Forbidden</h1>" };
const TOO_LONG = { status: 200, body: `{"logPath":"${"l".repeat(1_048_576)}"}` };

async function startNothing(): Promise<string> {
  const free = createServer();
  const port = await listen(free);
  free.close();
  await once(free, "close");
  return `http://127.0.0.1:${port}`;
}

const refusing = (status: number) => sending(`HTTP/1.1 ${status} Refused\r\nProxy-Authenticate: Basic\r\n\r\n`);
const OFFERS = ["NTLM", "Negotiate", "Basic"].map((scheme) => `Proxy-Authenticate: ${scheme}\r\n`);
const NTLM_ALONE = sending(`HTTP/1.1 407 Refused\r\n${OFFERS.slice(0, 2).join("")}\r\n`);
const NTLM_AND_BASIC = sending(`HTTP/1.1 407 Refused\r\n${OFFERS.join("")}\r\n`);
const LONG_HEADERS = `HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(1_048_576)}\r\n\r\n`;

describe.each(["https", "http"])("a proxy that fails is told from an %s service", (protocol) => {
  async function reachProxy(start: () => Promise<string>): Promise<Situation> {
    const address = proxyAddress(await start(), PROXY_PASSWORD);
    const environment = { HTTPS_PROXY: address, HTTP_PROXY: address };
    return { baseUrl: `${protocol}://127.0.0.1:1`, environment, begin: `the proxy ${hostOf(address)} ` };
  }

  itFails("ERR_CONNECTION", reachProxy, [
    [
      "nothing listens there",
      startNothing,
      `check the port of ${protocol.toUpperCase()}_PROXY.*\\(ECONNREFUSED, 127\\.0\\.0\\.1:\\d+\\)$`,
    ],
    ["its host is unknown", async () => "http://proxy.invalid:3128", "its host name"],
  ]);
  itFails("ERR_PROXY", reachProxy, [
    ["it offers only NTLM", NTLM_ALONE, /accepts only ntlm, negotiate, .*; use another proxy.*NO_PROXY \(status 407\)/],
    ["it offers NTLM and Basic", NTLM_AND_BASIC, `check those in ${protocol.toUpperCase()}_PROXY`],
  ]);
  // A proxy that forwards plain http responds in the place of the service.
  if (protocol === "http") return;
  itFails("ERR_PROXY", reachProxy, [
    ["status 401", refusing(401), "HTTPS_PROXY.*\\(status 401\\)"],
    ["status 403", refusing(403), "NO_PROXY.*\\(status 403\\)"],
    // As Privoxy refuses a host.
    ["status 404", refusing(404), "does not open a tunnel; check the host of baseUrl, and that HTTPS_PROXY .*404\\)"],
    ["status 407", refusing(407), "Basic authentication; check those in HTTPS_PROXY.*\\(status 407\\)"],
  ]);
  itFails("ERR_INVALID_RESPONSE", reachProxy, [
    ["another protocol", sending("SSH-2.0-example\r\n"), "is not HTTP"],
    ["what it was sent itself", sending(`${BASIC}\r\n`), "is not HTTP"],
  ]);
  itFails("ERR_CONNECTION", reachProxy, [
    ["status 500", refusing(500), "can't reach the service.*\\(status 500\\)"],
    ["status 504", refusing(504), "can't reach the service.*\\(status 504\\)"],
    [
      "a connection that is closed",
      () => startServer((socket) => socket.destroy()),
      /: the connection was cut before any response; try again, and check the port and the scheme of HTTPS_PROXY \(\w+\)$/,
    ],
    [
      "a connection that is reset",
      () => startServer((socket) => socket.resetAndDestroy()),
      /: the connection was cut; try again, and check HTTPS_PROXY \(ECONNRESET\)$/,
    ],
  ]);
  itFails("ERR_INVALID_RESPONSE", reachProxy, [["long headers", sending(LONG_HEADERS), "too long; check HTTPS_PROXY"]]);
});

// Px and cntlm log in to another proxy with a password of their own. Px sends 401 without a challenge if it has expired.
const TO_PX = sending("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
itFails(
  "ERR_PROXY",
  async (start: () => Promise<string>) => {
    const address = await start();
    return {
      baseUrl: "https://127.0.0.1:1",
      environment: { https_proxy: address },
      begin: `the proxy ${hostOf(address)} requires a user and a password; set them in https_proxy or, if it logs in to another proxy itself, correct them there, or list the service's host in NO_PROXY (status 40`,
    };
  },
  [
    ["Px, without a user in its address", TO_PX, "\\(status 401\\)$"],
    ["cntlm, without a user in its address", refusing(407), "\\(status 407\\)$"],
  ],
);

/** A service behind a proxy, whose response may be that of the proxy. */
function behindProxy(protocol: "https" | "http", { noProxy = "", isNamed = false, isTrusted = true } = {}) {
  return async (response: CannedResponse | "reset"): Promise<Situation> => {
    const { origin } = await startProxyStandIn();
    const service = await openService(protocol === "https" ? { tls: TLS } : {});
    service.respondWith(() => response);
    const environment = { HTTP_PROXY: origin, HTTPS_PROXY: origin, NO_PROXY: noProxy };
    const end = isNamed ? ` The proxy ${hostOf(origin)} may have answered instead of the service.` : "";
    const caCertificate = isTrusted ? CA_FILE : undefined;
    return { baseUrl: service.baseUrl, options: { caCertificate }, environment, end };
  };
}

const forward = behindProxy("http");
const forwardNamed = behindProxy("http", { isNamed: true });
const NOT_FOUND = { status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' };

itFails("ERR_REFUSED", forwardNamed, [["status 403 through a proxy", FORBIDDEN, ""]]);
itFails("ERR_AUTHENTICATION", async (sent: CannedResponse) => ({ ...(await forwardNamed(sent)), facts: {} }), [
  ["a password that Tinyproxy refuses", asksFor('Basic realm="Tinyproxy"'), "basic instead of Digest"],
]);
itFails("ERR_UNAVAILABLE", forwardNamed, [["status 502 through a proxy", { status: 502 }, ""]]);
itFails("ERR_INVALID_RESPONSE", forwardNamed, [
  ["a page through a proxy", { status: 200, body: "<h1>" }, "a web page"],
]);
itFails("ERR_PROJECT_NOT_FOUND", forward, [["the service's code through a proxy", NOT_FOUND, ""]]);
itFails("ERR_WRONG_KEY", forward, [["a challenge through a proxy", asksFor('Digest realm="a", nonce="b"'), ""]]);
itFails("ERR_CONNECTION", forward, [
  ["no response through a proxy", "reset", "was cut.*, through the proxy 127\\.0\\.0\\.1:\\d+\\)$"],
]);
itFails("ERR_INVALID_RESPONSE", forward, [["more than 1 MiB through a proxy", TOO_LONG, "longer than 1 MiB"]]);
itFails("ERR_REFUSED", behindProxy("http", { noProxy: "127.0.0.1" }), [["status 403 past a proxy", FORBIDDEN, ""]]);
itFails(
  "ERR_PROXY",
  async (start: () => Promise<string>) => {
    const address = proxyAddress(await start(), PROXY_PASSWORD);
    return {
      baseUrl: "http://127.0.0.1:1",
      environment: { http_proxy: address },
      begin: `the proxy ${hostOf(address)} `,
    };
  },
  [
    [
      "a proxy that forwards and wants another password",
      refusing(407),
      "check those in http_proxy,.*\\(status 407\\)$",
    ],
  ],
);
itFails(
  "ERR_REFUSED",
  async (response: CannedResponse) => {
    const environment = { http_proxy: await startNothing(), no_proxy: "", NO_PROXY: "127.0.0.1" };
    return { ...(await respond(response)), environment };
  },
  [["status 403 past a proxy, if no_proxy is empty and NO_PROXY is not", FORBIDDEN, ""]],
);
itFails("ERR_REFUSED", behindProxy("https"), [["status 403 through a tunnel", FORBIDDEN, ""]]);
itFails("ERR_INVALID_RESPONSE", behindProxy("https"), [["more than 1 MiB through a tunnel", TOO_LONG, "than 1 MiB"]]);
itFails("ERR_TLS", behindProxy("https", { isTrusted: false }), [
  ["an untrusted service through a tunnel", FORBIDDEN, "^its certificate comes from an authority"],
]);

async function reachTlsProxy(): Promise<Situation> {
  const address = (await startProxyStandIn("https")).origin.replace("127.0.0.1", "localhost");
  return {
    baseUrl: "https://127.0.0.1:1",
    environment: { HTTPS_PROXY: address },
    begin: `the proxy ${hostOf(address)} `,
  };
}

itFails("ERR_TLS", reachTlsProxy, [["an untrusted proxy", undefined, "can't be used: its certificate comes from"]]);
