import type { IncomingMessage, ServerResponse } from "node:http";

/** A request that the service received. */
export interface ServiceRequest {
  /** The method, such as `GET`. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The headers; their names are in lower case. */
  readonly headers: Readonly<IncomingMessage["headers"]>;
  /** The HTTP status of the response; 0 before it is sent, and if the connection is reset instead. */
  readonly status: number;
}

/**
 * Is asked for each authenticated request, and returns the response to send instead of the service's own, `"reset"` to reset the
 * connection, or undefined for the service's own response. A promise delays the response. A client sends a request once more if
 * its connection is reset and has carried a response before. If the function throws, or returns a response that can't be sent, the
 * response has status 500, and says why.
 */
export type RequestHandler = (
  request: Omit<ServiceRequest, "status">,
) => CannedResponse | "reset" | undefined | Promise<CannedResponse | "reset" | undefined>;

/** A response to send instead of the service's own to an authenticated request. */
export interface CannedResponse {
  /** The status, from 200 to 999. */
  readonly status: number;
  /** Headers that replace the service's headers of the same name. Each value of a list is sent as one line. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The body. Text is sent as UTF-8. Default: nothing. */
  readonly body?: string | Uint8Array | undefined;
}

/** @throws Error of Node.js for a response that can't be sent; nothing is sent then */
export function sendResponse(response: ServerResponse, { status, headers, body = "" }: CannedResponse): void {
  // Node.js takes a status below 200, after which a client waits for the response itself.
  if (status < 200) throw new RangeError(`Invalid status code: ${status}`);
  const bytes = Buffer.from(body);
  const all = {
    Vary: "Accept-Encoding",
    "Strict-Transport-Security": "max-age=300",
    "Content-Length": String(bytes.length),
    ...headers,
  };
  response.setHeaders(new Map(Object.entries(all)));
  response.writeHead(status).end(bytes);
}

/** Sends, in the place of the response of a handler, why there is none. */
export function sendFailure(response: ServerResponse, error: unknown): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  const content = { error: 500, reason: "Internal Server Error", detail: `respondWith failed: ${error}` };
  const headers = { "Content-Type": "application/json" };
  sendResponse(response, { status: 500, headers, body: JSON.stringify(content) });
}
