import diagnosticsChannel from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createPlainServer } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { type Findings, observeConnections } from "../../sdk/command/observe-connections.ts";
import { MONITORING, openClient, openService } from "../client/open-client.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { listen } from "../servers/listen.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { forgetSubscriptions } from "./forget-subscriptions.ts";

const connection = expect.stringMatching(/^127\.0\.0\.1 port \d+$/);
const CERTIFICATE = "TLSv1.3, certificate of localhost from Test authority, valid until Oct 28 05:50:39 2126 GMT";
const challenge = 'Digest, realm "Example Public API"';

/** What is seen of one read, and the code that it fails with. */
async function observe(baseUrl: string, proxy: Readonly<Record<string, string>> = {}, caCertificate?: string) {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"]) {
    vi.stubEnv(name, proxy[name]);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const client = openClient({ baseUrl }, { caCertificate });
  const seen: Findings = {};
  forgetSubscriptions();
  observeConnections(new URL(baseUrl), seen);
  const code = await client.get(MONITORING).then(
    () => "read",
    (error) => error.code,
  );
  return { seen, code };
}

async function baseUrlOf(protocol: "http" | "https"): Promise<string> {
  return (await openService(protocol === "https" ? { tls: TLS } : {})).baseUrl;
}

async function closedPort(): Promise<number> {
  const server = createPlainServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}

const named = (url: string) => url.replace("127.0.0.1", "localhost");
const proxied = "localhost, a proxy";

it.each<{ of: string; observed: () => ReturnType<typeof observe>; seen: Findings; code: string }>([
  {
    of: "plain http are the address and the challenge",
    observed: async () => observe(await baseUrlOf("http")),
    seen: { name: "127.0.0.1", connection, isPlain: true, challenge },
    code: "read",
  },
  {
    of: "https are the name and the certificate too",
    observed: async () => observe(named(await baseUrlOf("https")), {}, CA_FILE),
    seen: { name: "localhost", connection, isPlain: false, TLS: CERTIFICATE, challenge },
    code: "read",
  },
  {
    of: "a certificate that is not trusted are no TLS",
    observed: async () => observe(await baseUrlOf("https")),
    seen: { name: "127.0.0.1", connection },
    code: "ERR_TLS",
  },
  { of: "unknown hosts are nothing", observed: () => observe("https://a.invalid"), seen: {}, code: "ERR_CONNECTION" },
  {
    of: "an address at which nothing listens are the address alone",
    observed: async () => observe(`https://127.0.0.1:${await closedPort()}`),
    seen: { name: "127.0.0.1" },
    code: "ERR_CONNECTION",
  },
  ...(["http", "https"] as const).map((protocol) => ({
    of: `a tunnel of an ${protocol} proxy are the service's own TLS`,
    observed: async () => {
      const HTTPS_PROXY = named((await startProxyStandIn(protocol)).origin);
      return observe(await baseUrlOf("https"), { HTTPS_PROXY }, CA_FILE);
    },
    seen: { name: proxied, connection, isPlain: false, TLS: CERTIFICATE, challenge },
    code: "read",
  })),
  {
    of: "plain http through an https proxy are no TLS",
    observed: async () => {
      const HTTP_PROXY = named((await startProxyStandIn("https")).origin);
      return observe(await baseUrlOf("http"), { HTTP_PROXY }, CA_FILE);
    },
    seen: { name: proxied, connection, isPlain: true, challenge },
    code: "read",
  },
  {
    of: "a proxy that opens no tunnel are no connection",
    observed: async () => {
      const proxy = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
      return observe(await baseUrlOf("https"), { HTTPS_PROXY: `http://localhost:${await listen(proxy)}` });
    },
    seen: { name: proxied, isPlain: false },
    code: "ERR_CONNECTION",
  },
  {
    of: "a proxy whose name is unknown are nothing, although the service has an address",
    observed: async () => observe(await baseUrlOf("https"), { HTTPS_PROXY: "http://proxy.invalid:3128" }),
    seen: {},
    code: "ERR_CONNECTION",
  },
])("the findings of $of", async ({ observed, seen, code }) => {
  expect(await observed()).toEqual({ seen, code });
});

it("the findings have no credentials that a realm repeats", async () => {
  const server = createServer((_, response) => {
    const realm = "Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==";
    response.writeHead(401, { "www-authenticate": `Digest realm="${realm}", nonce="n"` }).end("{}");
  });
  const { seen } = await observe(`http://127.0.0.1:${await listen(server)}`);
  expect(seen.challenge).toMatch(/^Digest, realm "Proxy-Authorization: Basic/);
  expect(JSON.stringify(seen)).not.toContain("dXNl");
});

it("the findings are no challenge where no credentials were sent", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "www-authenticate": 'Digest realm="r", nonce="n"' }).end("{}");
  });
  expect(await observe(`http://127.0.0.1:${await listen(server)}`)).toEqual({
    seen: { name: "127.0.0.1", connection, isPlain: true },
    code: "read",
  });
});

it("the findings stay what they are once a connection is open", async () => {
  const { seen } = await observe(named(await baseUrlOf("http")));
  const announced = diagnosticsChannel.channel("undici:client:beforeConnect");
  announced.publish({ connectParams: { host: "other.example.com:1", hostname: "other.example.com" } });
  expect(seen).toMatchObject({ name: "localhost", connection });
});
