import dns from "node:dns";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished, vi } from "vitest";
import { sending } from "../servers/listen.ts";
import type { Fault } from "../testing/queue-faults.ts";
import { itFails, type Situation } from "./it-fails.ts";
import { MONITORING, openClient, openService } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";

const startOverTls = async () => (await openService({ tls: TLS })).baseUrl.replace("https:", "http:");
const NO_HTTP = 'HTTP/1.1 200 OK\r\nbad header\r\n\r\n{"password":"body-1"}';

async function reach(start: () => Promise<string>): Promise<Situation> {
  return { baseUrl: await start(), options: { caCertificate: CA_FILE } };
}

const unsigned = (body: string, status = 401) =>
  sending(`HTTP/1.1 ${status} X\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
itFails("ERR_NOT_FOUND", reach, [
  [
    "a page with status 404 without a challenge",
    unsigned("<h1>", 404),
    "^a gateway or another server has nothing at this address; check the host, the port and the path of baseUrl \\(",
  ],
]);
itFails("ERR_REFUSED", reach, [
  [
    "a page with status 400 without a challenge",
    unsigned("<h1>400 Bad Request</h1><center>The plain HTTP request was sent to HTTPS port</center>", 400),
    /^the server does not understand .*; check the scheme, the host and the port of baseUrl/,
  ],
  [
    "a host that Jetty does not know",
    unsigned("<title>Error 400 Invalid SNI</title>", 400),
    /^the server does not understand .* \(status 400, Error 400 Invalid SNI\)$/,
  ],
]);
const NO_DIGEST = /^the server does not ask for HTTP Digest; check baseUrl/;
itFails("ERR_AUTHENTICATION", reach, [
  ["no challenge of the service", unsigned('{"error":401}'), NO_DIGEST],
  ["no challenge beside a code", unsigned('{"error":401,"errorCode":"NEW_CODE"}'), NO_DIGEST],
]);
itFails("ERR_INVALID_RESPONSE", reach, [
  ...["{}", '{"name":"edge"}', '{"username":""}', '{"username":null}', '{"logRotate":{"numTotal":null}}'].map(
    (body) =>
      [
        `${body} without a challenge`,
        unsigned(body, 200),
        "^the response has no setting, and the server has not asked for HTTP Digest; check baseUrl",
      ] as const,
  ),
]);
itFails("ERR_CONNECTION", reach, [
  ["TLS at an http address", startOverTls, "if this port speaks TLS, write https: in baseUrl"],
]);
const CLOSING = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
itFails("ERR_CONNECTION", reach, [
  ["a body that is cut", sending(`${CLOSING}Content-Length: 9\r\n\r\n{}`), "^the connection was cut"],
  ["a chunk that is cut", sending(`${CLOSING}Transfer-Encoding: chunked\r\n\r\n9\r\n{}`), "^the connection was cut"],
  ["a head that is cut", sending("HTTP/1.1 2"), "^the connection was cut"],
]);
itFails("ERR_INVALID_RESPONSE", reach, [
  ["another protocol", sending("SSH-2.0-example\r\n"), "^its response is not HTTP; check the port and the scheme"],
  [
    "a line that is no header",
    sending(NO_HTTP),
    /^its response breaks the rules of HTTP; have .*\(Invalid header token\)/,
  ],
  [
    "a status below 100",
    sending("HTTP/1.1 099 X\r\n\r\n"),
    "^its response breaks the rules of HTTP, because its status is",
  ],
  ["status 100 that nothing has asked for", sending("HTTP/1.1 100 Continue\r\n\r\n"), "^it sends status 100 or 101,"],
  [
    "status 101 that nothing has asked for",
    sending("HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    "^it sends status 100 or 101,",
  ],
  ["status 600", sending("HTTP/1.1 600 X\r\nContent-Length: 0\r\n\r\n"), "a status that HTTP does not define"],
  ["status 304", sending("HTTP/1.1 304 X\r\n\r\n"), "the response has status 304 instead of 200"],
]);

const systemError = (code: string, syscall = "connect", place: object = {}) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall, ...place });

/** A host whose name leads to this error, as Node.js reports that of each address. */
async function reachByName(error: Error): Promise<Situation> {
  const lookup = vi.spyOn(dns, "lookup").mockImplementation((...args: unknown[]) => {
    const found = args.at(-1);
    if (typeof found === "function") found(error);
  });
  onTestFinished(() => lookup.mockRestore());
  return { baseUrl: "http://service.example:8443" };
}

const OF_SYSTEM = "^the connection failed; check the network, firewalls and the limits of this machine";
const at = (address: string) => ({ address, port: 8443 });
const NO_ROUTE_6 = systemError("ENETUNREACH", "connect", at("2001:db8::1"));
const NOTHING_LISTENS = "^nothing listens there.*\\(ECONNREFUSED, 10\\.1\\.2\\.3:8443\\)$";
itFails("ERR_CONNECTION", reachByName, [
  ...["EACCES", "EPERM", "EADDRNOTAVAIL", "ENETDOWN", "EHOSTDOWN", "ETIMEDOUT"].map(
    (code) =>
      [code, systemError(code, "connect", at("10.1.2.3")), `${OF_SYSTEM} \\(${code}, 10\\.1\\.2\\.3:8443\\)$`] as const,
  ),
  ...["EAI_FAIL", "EAI_NODATA"].map(
    (code) => [code, systemError(code, "getaddrinfo"), `${OF_SYSTEM} \\(${code}\\)$`] as const,
  ),
  ["one address without a route", NO_ROUTE_6, "no route to it.*\\(ENETUNREACH, \\[2001:db8::1\\]:8443\\)$"],
  // Linux without IPv6, in a container for example, has the last two.
  ...["ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"].map(
    (code) =>
      [
        `${code} of an address of IPv6 before another one`,
        new AggregateError([
          systemError(code, "connect", at("2001:db8::1")),
          systemError("ECONNREFUSED", "connect", at("10.1.2.3")),
        ]),
        NOTHING_LISTENS,
      ] as const,
  ),
  ["addresses of which none has a route", new AggregateError([NO_ROUTE_6, NO_ROUTE_6]), "no route to it"],
]);

// In a test of Jest, and in the pools vmThreads and vmForks of Vitest, errors of Node.js are no instances of Error.
const foreign = (members: object, source = "new Error('it fails')"): Error =>
  Object.assign(runInNewContext(source), members);
const REFUSED = foreign({ code: "ECONNREFUSED", syscall: "connect", ...at("10.1.2.3") });
const UNROUTED = foreign({ code: "ENETUNREACH", syscall: "connect", ...at("2001:db8::1") });
itFails("ERR_CONNECTION", reachByName, [
  ["an error of another realm", REFUSED, NOTHING_LISTENS],
  ["errors of another realm", foreign({ errors: [UNROUTED, REFUSED] }, "new AggregateError([])"), NOTHING_LISTENS],
]);
itFails("ERR_TLS", reachByName, [
  ["TLS in another realm", foreign({ code: "CERT_NOT_YET_VALID" }), "^its certificate is not valid yet"],
]);
itFails("ERR_UNKNOWN", reachByName, [["a defect in another realm", foreign({}), '^an unexpected error, "it fails"']]);

it.each<Fault>([{ status: 403 }, { delaySeconds: 60 }, { cutAfterBytes: 9 }])(
  "%o has a stack with the caller",
  async (fault) => {
    const service = await openService({ faults: [fault] });
    const client = openClient(service, { timeoutSeconds: 0.5 });
    const readInTheUsersCode = async () => {
      const read = client.get(MONITORING);
      // Whoever else waits for the read ends the stack that an error has by itself.
      void client.close();
      return [await read];
    };
    const error = await readInTheUsersCode().catch((reason: unknown) => reason);
    expect(error).toHaveProperty("stack", expect.stringContaining("readInTheUsersCode"));
  },
);
