import { type ServerResponse, STATUS_CODES } from "node:http";
import { type CannedResponse, type Fault, isCut, isLate } from "./fault.ts";

/** Sends a response, late or only in part where that is the fault. */
export function sendResponse(
  response: ServerResponse,
  sent: CannedResponse,
  fault: Exclude<Fault, "reset"> | undefined,
): void {
  const body = Buffer.from(sent.body ?? "");
  const headers = {
    Vary: "Accept-Encoding",
    "Strict-Transport-Security": "max-age=300",
    "Content-Length": String(body.length),
    ...sent.headers,
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (isCut(fault)) {
    sendCut(response, Buffer.concat([headOf(response, sent.status), body]).subarray(0, fault.cutAfterBytes));
  } else if (isLate(fault)) {
    const timer = setTimeout(() => response.writeHead(sent.status).end(body), fault.delaySeconds * 1000);
    response.once("close", () => clearTimeout(timer));
  } else {
    response.writeHead(sent.status).end(body);
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
