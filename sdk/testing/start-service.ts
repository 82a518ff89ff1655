import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { z } from "zod";
import { PREFIX } from "../model/connection-options.ts";
import { parseArgument, strictObject } from "../model/parse-argument.ts";
import type { AgentKind } from "../model/read-arguments.ts";
import { digestProtection } from "./digest-protection.ts";
import {
  type CannedResponse,
  type Cut,
  type Delay,
  type Fault,
  isResponse,
  refuseImpossibleFaults,
  sendResponse,
} from "./fault.ts";
import { Projects, respond, type ServiceSettings, type SettingsByProject, unauthorized } from "./respond.ts";

/** How the stand-in is reached, and what it starts with. */
export interface ServiceOptions {
  /** The user name of HTTP Digest. Default: `publickey`. */
  readonly publicKey?: string | undefined;
  /** The password of HTTP Digest. Default: `private-key-0001`. */
  readonly privateKey?: string | undefined;
  /** PEM texts; given both, the service speaks HTTPS. Default: plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** The port on 127.0.0.1, from 0 to 65535. Default: 0, a free one. */
  readonly port?: number | undefined;
  /**
   * The name of the challenge's parameter with the value `auth`: `qop`, as in RFC 7616, or `op`, as in the documentation of
   * the service, which other Digest clients may refuse. Default: `qop`.
   */
  readonly qopParameter?: "op" | "qop" | undefined;
  /** The projects that exist. Default: none. */
  readonly settings?: SettingsByProject | undefined;
  /** What goes wrong with the first authenticated requests: one fault for each request, in this order. Default: nothing. */
  readonly faults?: readonly Fault[] | undefined;
}

const PORT_RULE = "must be a whole number from 0 to 65535";

const serviceOptionsSchema = strictObject({
  publicKey: z.string("must be a string").optional(),
  privateKey: z.string("must be a string").optional(),
  tls: z.object({ key: z.string(), cert: z.string() }, "must be an object with PEM texts, key and cert").optional(),
  port: z.int(PORT_RULE).min(0, PORT_RULE).max(65535, PORT_RULE).optional(),
  qopParameter: z.enum(["op", "qop"], 'must be "op" or "qop"').optional(),
  settings: z.record(z.string(), z.record(z.string(), z.unknown()), "must be an object").optional(),
  faults: z.array(z.unknown(), "must be a list").optional(),
});

/** A request that the service received. */
export interface ServiceRequest {
  /** The method, such as `GET`. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The headers; their names are in lower case. */
  readonly headers: Readonly<IncomingMessage["headers"]>;
  /** The HTTP status of the response; 0 if the connection was cut instead. */
  readonly status: number;
}

/** A stand-in for the service that runs in this process. */
export interface Service {
  /** The `baseUrl` to configure, with the path prefix `/api/public/v1.0`. */
  readonly baseUrl: string;
  /** Every request so far, including refused ones, oldest first. */
  readonly requests: readonly ServiceRequest[];
  /**
   * Replaces the settings of one agent by a copy; `undefined` removes them. An agent without settings has every field
   * absent, and a project whose last settings are removed is not found.
   * @param projectId 24 hexadecimal digits
   * @param agent `"monitoring"` or `"backup"`
   * @param settings the body of the response, any JSON object
   * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for another id or agent, and for a value that is no object or that JSON
   * can't hold
   */
  set(projectId: string, agent: AgentKind, settings: ServiceSettings | undefined): void;
  /**
   * Makes the next authenticated requests fail, with one fault each, after the faults that are still queued.
   * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for a value that is not a {@link Fault}
   */
  failNext(...faults: readonly Fault[]): void;
  /**
   * Sends this response to every authenticated request that has no fault, until a call with `undefined`.
   * `"reset"` resets the connection.
   * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for a response with a status or body that can't be sent
   */
  respondWith(response: CannedResponse | "reset" | undefined): void;
  /** Accepts only this private key from now on, and forgets all nonces. */
  rotateKey(privateKey: string): void;
  /** Stops listening, and closes every connection. */
  close(): Promise<void>;
}

const REALM = "Example Public API";

/**
 * Starts a stand-in for the service on 127.0.0.1: both reads behind HTTP Digest, with envelope, pretty printing and the
 * version header.
 *
 * @param options how it is reached, and what it starts with
 * @returns the service once it listens
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for options that are invalid
 * @throws Error of Node.js if the port is in use, or if the key or the certificate can't be read
 * @example
 * ```ts
 * import { startService } from "pulumi-agent-log-config/testing";
 *
 * const service = await startService({
 *   settings: { "0123456789abcdef01234567": { monitoring: { logPath: "/var/log/monitoring-agent.log" } } },
 *   faults: [{ status: 503 }, "reset", { delaySeconds: 0.1 }],
 * });
 * process.env["AGENT_LOG_CONFIG_BASE_URL"] = service.baseUrl;
 * await service.close();
 * ```
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const requests: ServiceRequest[] = [];
  return { requests, ...(await startServer(options, (request) => requests.push(request))) };
}

/**
 * Starts the stand-in without keeping the requests that it receives.
 * @param report is told of each request
 */
export async function startServer(
  options: ServiceOptions,
  report: (request: ServiceRequest) => void,
): Promise<Omit<Service, "requests">> {
  parseArgument(serviceOptionsSchema, options, "The service was not started");
  const { tls, port = 0 } = options;
  const { answer, ...controls } = serviceBehaviour(options);
  const sockets = new Set<Socket>();
  const listener: RequestListener = (request, response) => {
    const { method = "", url: target = "", headers, socket } = request;
    const { content, fault } = answer(method, target, headers.authorization);
    const parts: Partial<Cut & Delay & CannedResponse> = typeof fault === "object" ? fault : {};
    const isCut = fault === "reset" || parts.cutAfterBytes !== undefined;
    report({ method, target, headers, status: isCut ? 0 : content.status });
    if (fault === "reset") reset(socket, sockets);
    else sendResponse(response, content, parts);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer({ ...tls }, listener);
  // node:https does not know a connection before its TLS handshake, which may never come.
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The service does not listen on a port.");

  return {
    baseUrl: `${tls === undefined ? "http" : "https"}://127.0.0.1:${address.port}${PREFIX}`,
    ...controls,
    async close() {
      const end = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await end;
    },
  };
}

/** Resets a connection. A connection over TLS can be reset only below TLS. */
function reset({ remotePort }: Socket, sockets: Iterable<Socket>): void {
  for (const socket of sockets) if (socket.remotePort === remotePort) socket.resetAndDestroy();
}

/** Returns what the service does, and the functions by which a test changes that. */
function serviceBehaviour(options: ServiceOptions) {
  const { publicKey: username = "publickey", privateKey = "private-key-0001", qopParameter } = options;
  let password = privateKey;
  const protect = () => digestProtection({ realm: REALM, username, password, qopParameter });
  let challengeFor = protect();
  const projects = new Projects(options.settings ?? {});
  const faults: Fault[] = [];
  let standingResponse: CannedResponse | "reset" | undefined;

  const failNext = (...more: readonly Fault[]) => {
    refuseImpossibleFaults(more);
    faults.push(...more);
  };
  failNext(...(options.faults ?? []));

  return {
    /** Returns the response to a request, and what goes wrong with it. */
    answer(method: string, target: string, authorization: string | undefined) {
      let challenge = challengeFor(method, target, authorization);
      const fault = challenge === undefined ? (faults.shift() ?? standingResponse) : undefined;
      if (fault === "forgetNonces") {
        challengeFor = protect();
        challenge = challengeFor(method, target, authorization);
      }
      const usualResponse = challenge === undefined ? respond(method, target, projects) : unauthorized(challenge);
      return { content: isResponse(fault) ? fault : usualResponse, fault };
    },
    set: (...args: Parameters<Service["set"]>) => projects.set(...args),
    failNext,
    respondWith(response: CannedResponse | "reset" | undefined) {
      if (response !== undefined) refuseImpossibleFaults([response]);
      standingResponse = response;
    },
    rotateKey(key: string) {
      password = key;
      challengeFor = protect();
    },
  };
}
