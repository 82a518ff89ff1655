import { type ServerResponse, STATUS_CODES } from "node:http";
import { inspect } from "node:util";
import { invalidArgument } from "../model/errors.ts";

/** A response to send instead of the service's own to an authenticated request. */
export interface CannedResponse {
  /** The status, from 200 to 999. */
  readonly status: number;
  /** Headers that replace the service's headers of the same name. Each value of a list is sent as one line. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The body. Text is sent as UTF-8. Default: nothing. */
  readonly body?: string | Uint8Array | undefined;
}

/** The connection is cut while the service sends its usual response. */
export interface Cut {
  /** Bytes of the HTTP response, with its status line and headers, that are sent before the cut; 0 or more. */
  readonly cutAfterBytes: number;
}

/** The service sends its usual response late. */
export interface Delay {
  /** Seconds, 0 or more, at most 3600. */
  readonly delaySeconds: number;
}

/**
 * What goes wrong with one authenticated request. `"reset"` resets the connection before anything is sent. A client sends the
 * request once more if the connection has carried a response, so two of them in a row fail its attempt. The same is true of
 * `{ cutAfterBytes: 0 }`. `"forgetNonces"` refuses the request with a new challenge and `stale=true`, as after a restart.
 */
export type Fault = CannedResponse | Cut | Delay | "reset" | "forgetNonces";

export function isResponse(fault: Fault | undefined): fault is CannedResponse {
  return typeof fault === "object" && "status" in fault;
}

/** @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for a value that is not a fault */
export function refuseImpossibleFaults(faults: readonly Fault[]): void {
  for (const fault of faults) {
    if (isPossible(fault)) continue;
    throw invalidArgument(
      `A fault must be "reset", "forgetNonces", { cutAfterBytes } from 0, { delaySeconds } from 0 to 3600 or a response with a status from 200 to 999 and a body of text or bytes, not ${inspect(fault, { depth: 1, breakLength: Infinity })}.`,
    );
  }
}

function isPossible(fault: Fault | null): boolean {
  if (typeof fault !== "object" || fault === null) return fault === "reset" || fault === "forgetNonces";
  if ("cutAfterBytes" in fault) return Number.isInteger(fault.cutAfterBytes) && fault.cutAfterBytes >= 0;
  if ("delaySeconds" in fault) return fault.delaySeconds >= 0 && fault.delaySeconds <= 3600;
  const { status, body } = fault;
  const canBeSent = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  return canBeSent && Number.isInteger(status) && status >= 200 && status <= 999;
}

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
