import { hash } from "node:crypto";
import { createConnection } from "node:net";
import type { Service } from "../../sdk/testing/index.ts";

/** Returns everything that comes over the wire for one authenticated request until the connection ends. */
export async function readTarget({ baseUrl }: Service, target: string, method = "GET"): Promise<string> {
  const challenge = (await fetch(baseUrl)).headers.get("www-authenticate");
  const [, nonce] = /nonce="([^"]+)"/.exec(challenge ?? "") ?? [];
  const ha1 = md5("publickey:Example Public API:private-key-0001");
  const response = md5(`${ha1}:${nonce}:00000001:c:auth:${md5(`${method}:${target}`)}`);
  const rest = `uri="${target}", qop=auth, nc=00000001, cnonce="c", response="${response}"`;
  return exchange(
    new URL(baseUrl),
    `${method} ${target}`,
    `Authorization: Digest username="publickey", realm="Example Public API", nonce="${nonce}", ${rest}`,
  );
}

function md5(text: string): string {
  return hash("md5", text);
}

function exchange({ hostname, port }: URL, request: string, header: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.write(`${request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n\r\n`);
  });
}
