// The server has a process of its own, so that it shares no heap with the contenders. HTTP is written by hand, for requests
// without a body, and Digest is only what the contenders need: node:http and a whole check would cost more than what is measured.
import { hash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type TLSSocket } from "node:tls";
import { VERSION_HEADER } from "../sdk/testing/respond.ts";
import { listen } from "./listen.ts";
import { CERTIFICATE_FILE, CREDENTIALS, KEY_FILE, USES_OF_A_NONCE } from "./start-server.ts";

const SETTINGS = JSON.stringify({
  logPath: "/var/log/example-mms-automation/monitoring-agent.log",
  logPathWindows: "%SystemDrive%\\MMSAutomation\\log\\mongodb-mms-automation\\monitoring-agent.log",
  logRotate: { sizeThresholdMB: 100, timeThresholdHrs: 24, numUncompressed: 5, percentOfDiskspace: 0.02, numTotal: 12 },
  username: "CN=monitoring,OU=agents,O=Example Corporation,L=Dublin,C=IE",
  configOverrides: { mmsBaseUrl: "https://example.com:8443", timeoutSeconds: 30, verifyHostNames: true },
});
const OK = response("200 OK", VERSION_HEADER, SETTINGS);
const REALM = "Example Public API";
const HA1 = hash("md5", `${CREDENTIALS.username}:${REALM}:${CREDENTIALS.password}`);
const FIELDS = ["nonce", "nc", "cnonce", "response"].map((name) => new RegExp(`[ ,]${name}="?([^",\\r]*)`));

const countsByNonce = new Map<string, Set<number>>();
let requests = 0;

const server = createServer({ key: readFileSync(KEY_FILE), cert: readFileSync(CERTIFICATE_FILE) }, serve);
process.on("message", () => {
  process.send?.(requests);
  requests = 0;
});
process.on("disconnect", () => process.exit());
process.send?.(await listen(server));

function serve(socket: TLSSocket): void {
  let received = "";
  socket.setEncoding("latin1");
  socket.on("error", () => socket.destroy());
  socket.on("data", (text: string) => {
    received += text;
    for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
      requests += 1;
      socket.write(respond(received.slice(0, end)), "latin1");
      received = received.slice(end + 4);
    }
  });
}

function respond(head: string): string {
  const [, target = "", protection = ""] = /^GET (\/(\w+)\S*)/.exec(head) ?? [];
  if (protection === "plain") return OK;
  const verdict = judge(protection, target, head);
  if (verdict === "accepted" && protection !== "once") return OK;
  if (verdict === "accepted") return response("200 OK", { "Authentication-Info": `nextnonce="${issue()}"` }, SETTINGS);
  const challenge = `Digest realm="${REALM}", domain="", nonce="${issue()}", algorithm=MD5, qop="auth"`;
  return response("401 Unauthorized", { "WWW-Authenticate": `${challenge}, stale=${verdict === "stale"}` }, "{}");
}

function judge(protection: string, target: string, head: string): "accepted" | "refused" | "stale" {
  const [nonce = "", nc = "", cnonce = "", given] = FIELDS.map((field) => field.exec(head)?.[1]);
  const ha2 = hash("md5", `GET:${target}`);
  if (given !== hash("md5", `${HA1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`)) return "refused";
  const counts = countsByNonce.get(nonce);
  const count = Number.parseInt(nc, 16);
  if (counts === undefined || counts.size >= (protection === "once" ? 1 : USES_OF_A_NONCE)) return "stale";
  if (counts.has(count) || (protection === "strict" && count !== counts.size + 1)) return "refused";
  counts.add(count);
  return "accepted";
}

function issue(): string {
  const nonce = randomBytes(24).toString("base64");
  countsByNonce.set(nonce, new Set());
  setTimeout(() => countsByNonce.delete(nonce), 60_000);
  return nonce;
}

function response(status: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries({ "Content-Type": "application/json", ...headers, "Content-Length": body.length });
  return `HTTP/1.1 ${status}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}
