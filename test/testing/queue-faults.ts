import diagnosticsChannel from "node:diagnostics_channel";
import { Socket } from "node:net";
import type { CannedResponse, Service } from "../../sdk/testing/index.ts";

/** What goes wrong with one request: a response or `"reset"`, the service's own response late, or {@link CUT_RESPONSE} cut. */
export type Fault = CannedResponse | "reset" | { readonly delaySeconds: number } | { readonly cutAfterBytes: number };

/** The service has forgotten the nonce, as after a restart. */
export const STALE_NONCE: CannedResponse = {
  status: 401,
  headers: { "WWW-Authenticate": 'Digest realm="Example Public API", nonce="n", qop="auth", stale=true' },
};

/** As the service sends it. */
export const CUT_RESPONSE = `HTTP/1.1 200 OK\r
Vary: Accept-Encoding\r
Strict-Transport-Security: max-age=300\r
Content-Length: 32\r
Content-Type: application/json\r
X-Example-Service-Version: gitHash=0123456789abcdef; versionString=7.0.11\r
\r
{"logPath":"/var/log/agent.log"}`;

/** Makes the next authenticated requests fail, with one fault each, in this order. */
export function queueFaults(service: Pick<Service, "respondWith">, ...faults: Fault[]): void {
  service.respondWith(() => {
    const fault = faults.shift();
    if (typeof fault !== "object" || "status" in fault) return fault;
    return new Promise((resolve) => {
      if ("delaySeconds" in fault) setTimeout(resolve, fault.delaySeconds * 1000, undefined).unref();
      else cut(fault.cutAfterBytes);
    });
  });
}

function cut(bytes: number): void {
  const cutSocket = socket;
  cutSocket?.write(CUT_RESPONSE.slice(0, bytes), () => cutSocket.destroy());
}

/** The connection of the request that a handler is asked for: node:http announces a request before the server has it. */
let socket: Socket | undefined;
diagnosticsChannel.subscribe("http.server.request.start", (message) => {
  if (typeof message !== "object" || message === null || !("socket" in message)) return;
  if (message.socket instanceof Socket) socket = message.socket;
});
