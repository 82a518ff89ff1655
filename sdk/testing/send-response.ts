import { type ServerResponse, STATUS_CODES } from "node:http";
import type { CannedResponse, Cut, Delay } from "./fault.ts";

/** Sends a response, late or only in part if that is the fault. */
export function sendResponse(
  response: ServerResponse,
  content: CannedResponse,
  { cutAfterBytes, delaySeconds }: Partial<Cut & Delay>,
): void {
  const body = Buffer.from(content.body ?? "");
  const headers = {
    Vary: "Accept-Encoding",
    "Strict-Transport-Security": "max-age=300",
    "Content-Length": String(body.length),
    ...content.headers,
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const send = () => response.writeHead(content.status).end(body);
  if (cutAfterBytes !== undefined) {
    sendCut(response, Buffer.concat([headOf(response, content.status), body]).subarray(0, cutAfterBytes));
  } else if (delaySeconds === undefined) {
    send();
  } else {
    const timer = setTimeout(send, delaySeconds * 1000);
    response.once("close", () => clearTimeout(timer));
  }
}

/** Writes to the socket, because node:http can't stop in the middle of the headers. */
function sendCut({ req: { socket } }: ServerResponse, bytes: Buffer): void {
  if (bytes.length === 0) socket.destroy();
  else socket.write(bytes, () => socket.destroy());
}

function headOf(response: ServerResponse, status: number): Buffer {
  const lines = Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    [value ?? []].flat().map((line) => `${name}: ${line}\r\n`),
  );
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`, "latin1");
}
