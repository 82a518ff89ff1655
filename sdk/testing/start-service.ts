import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { z } from "zod";
import { PREFIX } from "../model/connection-options.ts";
import { parseArgument, strictObject } from "../model/parse-argument.ts";
import type { AgentKind } from "../model/read-arguments.ts";
import { digestProtection } from "./digest-protection.ts";
import { type RequestHandler, type ServiceRequest, sendFailure, sendResponse } from "./request-handler.ts";
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
  /** What is sent instead of the service's own responses. Default: nothing. */
  readonly respondWith?: RequestHandler | undefined;
}

const PORT_RULE = "must be a whole number from 0 to 65535";

const serviceOptionsSchema = strictObject({
  publicKey: z.string("must be a string").optional(),
  privateKey: z.string("must be a string").optional(),
  tls: z.object({ key: z.string(), cert: z.string() }, "must be an object with PEM texts, key and cert").optional(),
  port: z.int(PORT_RULE).min(0, PORT_RULE).max(65535, PORT_RULE).optional(),
  qopParameter: z.enum(["op", "qop"], 'must be "op" or "qop"').optional(),
  settings: z.record(z.string(), z.record(z.string(), z.unknown()), "must be an object").optional(),
  respondWith: z.custom((value) => typeof value === "function", "must be a function").optional(),
});

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
  /** Asks this function for each authenticated request from now on; `undefined` ends that. */
  respondWith(handler: RequestHandler | undefined): void;
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
 *   respondWith: ({ target }) => (target.includes("backup") ? { status: 503 } : undefined),
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
  const listener: RequestListener = async ({ method = "", url: target = "", headers, socket }, response) => {
    const request = { method, target, headers, status: 0 };
    report(request);
    try {
      const content = await answer(request);
      if (content === "reset") return reset(socket, sockets);
      sendResponse(response, content);
    } catch (error) {
      sendFailure(response, error);
    }
    request.status = response.statusCode;
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
  const protect = (password: string) => digestProtection({ realm: REALM, username, password, qopParameter });
  let challengeFor = protect(privateKey);
  let handle = options.respondWith;
  const projects = new Projects(options.settings ?? {});
  return {
    /** Returns the response to a request. */
    async answer(request: ServiceRequest) {
      const { method, target, headers } = request;
      const challenge = challengeFor(method, target, headers.authorization);
      if (challenge !== undefined) return unauthorized(challenge);
      return (await handle?.(request)) ?? respond(method, target, projects);
    },
    set: (...args: Parameters<Service["set"]>) => projects.set(...args),
    respondWith(handler: RequestHandler | undefined) {
      handle = handler;
    },
    rotateKey(key: string) {
      challengeFor = protect(key);
    },
  };
}
