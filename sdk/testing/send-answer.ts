import { type ServerResponse, STATUS_CODES } from "node:http";
import { type CannedAnswer, type Fault, isCut, isLate } from "./fault.ts";

/** Sends an answer, late or not all of it where that is the fault. */
export function sendAnswer(response: ServerResponse, answer: CannedAnswer, fault: Fault | undefined): void {
  const body = Buffer.from(answer.body ?? "");
  const headers = {
    Vary: "Accept-Encoding",
    "Strict-Transport-Security": "max-age=300",
    "Content-Length": String(body.length),
    ...answer.headers,
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (fault === "reset") {
    response.req.socket.resetAndDestroy();
  } else if (isCut(fault)) {
    sendCut(response, Buffer.concat([headOf(response, answer.status), body]).subarray(0, fault.cutAfterBytes));
  } else if (isLate(fault)) {
    const timer = setTimeout(() => response.writeHead(answer.status).end(body), fault.delaySeconds * 1000);
    response.once("close", () => clearTimeout(timer));
  } else {
    response.writeHead(answer.status).end(body);
  }
}

/** Past node:http, which can't stop in the middle of the headers. */
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
