// The server has a process of its own, so that it shares no heap with the contenders.
import { hash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type TLSSocket } from "node:tls";
import { HA1, type Question, REALM, USES_OF_A_NONCE } from "./start-server.ts";

interface IssuedNonce {
  readonly issuedAt: number;
  readonly seen: Set<number>;
}

const LIFETIME_MILLISECONDS = 60_000;

const SETTINGS = {
  logPath: "/var/log/example-mms-automation/monitoring-agent.log",
  logPathWindows: "%SystemDrive%\\MMSAutomation\\log\\mongodb-mms-automation\\monitoring-agent.log",
  logRotate: {
    sizeThresholdMB: 1000,
    timeThresholdHrs: 24,
    numUncompressed: 5,
    percentOfDiskspace: 0.02,
    numTotal: 12,
  },
  username: "CN=monitoring,OU=agents,O=Example Corporation,L=Dublin,C=IE",
  configOverrides: { mmsBaseUrl: "https://example.com:8443", timeoutSeconds: 30, verifyHostNames: true },
};
const VERSION = "gitHash=0123456789abcdef0123456789abcdef01234567; versionString=7.0.11.100.20260115T1200Z";
const OK_HEAD = ["HTTP/1.1 200 OK", "Content-Type: application/json", `X-Example-Service-Version: ${VERSION}`];
const OK = response(OK_HEAD, SETTINGS);

const nonces = new Map<string, IssuedNonce>();
let requests = 0;

const [keyFile = "", certificateFile = ""] = process.argv.slice(2);
const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certificateFile) }, serve);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.send?.(address?.port);
});

process.on("message", (question: Question) => {
  if (question === "count") process.send?.(requests);
  else if (question === "reset") {
    requests = 0;
    process.send?.(requests);
  } else process.send?.(Array.from({ length: question.nonces }, issue));
});
process.on("disconnect", () => process.exit());

// HTTP is written by hand, for requests without a body, because node:http would cost more than what is measured.
function serve(socket: TLSSocket): void {
  let received = "";
  socket.setEncoding("latin1");
  socket.on("error", () => socket.destroy());
  socket.on("data", (text: string) => {
    received += text;
    for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
      const head = received.slice(0, end);
      received = received.slice(end + 4);
      requests += 1;
      socket.write(respond(head), "latin1");
      if (/\r\nconnection: *close/i.test(head)) socket.end();
    }
  });
}

function respond(head: string): string {
  const protection = head.slice(head.indexOf("/") + 1, head.indexOf("/", head.indexOf("/") + 1));
  if (protection === "plain") return OK;
  const verdict = check(protection, head);
  if (verdict !== "accepted") return refusal(verdict === "stale");
  return protection === "once" ? response([...OK_HEAD, `Authentication-Info: nextnonce="${issue()}"`], SETTINGS) : OK;
}

function check(protection: string, head: string): "accepted" | "refused" | "stale" {
  const authorization = /\r\nauthorization: *Digest( .*)/i.exec(head)?.[1];
  if (authorization === undefined) return "refused";
  const nonce = /[ ,]nonce="([^"]*)"/.exec(authorization)?.[1] ?? "";
  const nc = /[ ,]nc="?([0-9a-f]{8})/.exec(authorization)?.[1] ?? "";
  const cnonce = /[ ,]cnonce="([^"]*)"/.exec(authorization)?.[1] ?? "";
  const uri = /[ ,]uri="([^"]*)"/.exec(authorization)?.[1] ?? "";
  const given = /[ ,]response="([^"]*)"/.exec(authorization)?.[1];
  if (!head.startsWith(`GET ${uri} `)) return "refused";
  if (given !== hash("md5", `${HA1}:${nonce}:${nc}:${cnonce}:auth:${ha2Of(uri)}`)) return "refused";
  return use(protection, nonces.get(nonce), Number.parseInt(nc, 16));
}

function use(protection: string, nonce: IssuedNonce | undefined, count: number): "accepted" | "refused" | "stale" {
  const limit = protection === "once" ? 1 : USES_OF_A_NONCE;
  if (nonce === undefined || Date.now() - nonce.issuedAt > LIFETIME_MILLISECONDS || count > limit) return "stale";
  if (nonce.seen.has(count) && protection === "once") return "stale";
  if (nonce.seen.has(count) || (protection === "strict" && count !== nonce.seen.size + 1)) return "refused";
  nonce.seen.add(count);
  return "accepted";
}

const ha2s = new Map<string, string>();

function ha2Of(uri: string): string {
  const ha2 = ha2s.get(uri) ?? hash("md5", `GET:${uri}`);
  ha2s.set(uri, ha2);
  return ha2;
}

function refusal(stale: boolean): string {
  const challenge = `Digest realm="${REALM}", domain="", nonce="${issue()}", algorithm=MD5, qop="auth", stale=${stale}`;
  const head = ["HTTP/1.1 401 Unauthorized", "Content-Type: application/json", `WWW-Authenticate: ${challenge}`];
  return response(head, { error: 401, reason: "Unauthorized", detail: "You are not authorized for this resource." });
}

function issue(): string {
  const now = Date.now();
  for (const [old, { issuedAt }] of nonces) {
    if (now - issuedAt <= LIFETIME_MILLISECONDS) break;
    nonces.delete(old);
  }
  const nonce = randomBytes(24).toString("base64");
  nonces.set(nonce, { issuedAt: now, seen: new Set() });
  return nonce;
}

function response(head: readonly string[], body: unknown): string {
  const text = JSON.stringify(body);
  return `${head.join("\r\n")}\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}
