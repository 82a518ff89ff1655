// A server in a process of its own, so that it shares no heap with what is measured. It asks for Digest as a Java container
// does: a nonce is good for 1,023 requests, and a count that was used is refused.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { listen } from "./listen.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../test/digest/fixtures/test-only-${name}.pem`, import.meta.url));
const SETTINGS = JSON.stringify({
  logPath: "/var/log/example-mms-automation/monitoring-agent.log",
  logPathWindows: "%SystemDrive%\\MMSAutomation\\log\\mongodb-mms-automation\\monitoring-agent.log",
  logRotate: { sizeThresholdMB: 100, timeThresholdHrs: 24, numUncompressed: 5, percentOfDiskspace: 0.02, numTotal: 12 },
  configOverrides: { mmsBaseUrl: "https://example.com:8443", timeoutSeconds: 30, verifyHostNames: true },
});

const countsByNonce = new Map<string, Set<string>>();

const server = createServer({ key: fixture("key"), cert: fixture("certificate") }, ({ headers }, response) => {
  const [, nonce = "", nc = ""] = /nonce="([^"]*)".*nc=(\w{8})/.exec(rearranged(headers.authorization)) ?? [];
  const counts = countsByNonce.get(nonce);
  if (counts !== undefined && counts.size < 1023 && !counts.has(nc)) {
    counts.add(nc);
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": SETTINGS.length }).end(SETTINGS);
    return;
  }
  const fresh = randomBytes(24).toString("base64");
  countsByNonce.set(fresh, new Set());
  const challenge = `Digest realm="Example Public API", domain="", nonce="${fresh}", algorithm=MD5, qop="auth", stale=true`;
  response.writeHead(401, { "WWW-Authenticate": challenge, "Content-Length": 2 }).end("{}");
});

/** curl sends the count before other parameters. */
function rearranged(authorization = ""): string {
  return `${authorization} ${/\bnc=\w{8}/.exec(authorization)?.[0] ?? ""}`;
}

process.on("disconnect", () => process.exit());
process.send?.(await listen(server));
