import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Agent } from "../client/index.ts";
import { DigestProtection, type NoncePolicy } from "./digest-protection.ts";

export interface ServiceOptions {
  /** The user name of HTTP Digest. Default: `publickey`. */
  readonly publicKey?: string;
  /** The password of HTTP Digest. Default: `private-key-0001`. */
  readonly privateKey?: string;
  /** PEM texts; given both, the service speaks HTTPS, otherwise plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** The port on 127.0.0.1. Default: 0, a free one. */
  readonly port?: number;
  /** How long and how often its nonces are good. */
  readonly nonces?: NoncePolicy;
}

/** What an agent's configuration looks like on the wire: any JSON object, every field of it optional (contract, section 2.1). */
export type ServiceSettings = Readonly<Record<string, unknown>>;

/** One request that the service was sent. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<IncomingMessage["headers"]>;
  readonly status: number;
}

/** An answer to send instead of the service's own, once the request has been authenticated. */
export interface CannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A stand-in of the service that runs in this process. */
export interface Service {
  /** What to configure as `baseUrl`, with the path prefix `/api/public/v1.0`. */
  readonly baseUrl: string;
  /** Every request so far, those that were refused among them, oldest first. */
  readonly requests: readonly ServiceRequest[];
  /**
   * Replaces the settings of one agent; `undefined` removes them. An agent without settings has every field absent, a
   * project without any is not found.
   */
  set(projectId: string, agent: Agent, settings: ServiceSettings | undefined): void;
  /** Answers every authenticated request like this from now on; `undefined` ends that. `"reset"` cuts the connection. */
  answerWith(answer: CannedAnswer | "reset" | undefined): void;
  /** Takes another private key from now on and forgets all nonces. */
  rotateKey(privateKey: string): void;
  /** Forgets all nonces, as a restart does. */
  forgetNonces(): void;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}

/** The path prefix of the contract (section 1). */
const PREFIX = "/api/public/v1.0";
const REALM = "Example Public API";
const VERSION = `gitHash=${"0123456789abcdef".repeat(3).slice(0, 40)}; versionString=7.0.11.100.20260115T1200Z`;

/**
 * Starts a stand-in of the service on 127.0.0.1: both reads behind HTTP Digest, with envelope, pretty printing and the
 * version header. It has no project until {@link Service.set} gives it one.
 *
 * @throws where the port is taken or a key or certificate can't be read
 * @see the contract, sections 4 to 7
 * @example
 * ```ts
 * import { startService } from "pulumi-agent-log-config/testing";
 *
 * const service = await startService();
 * service.set("0123456789abcdef01234567", "monitoring", { logPath: "/var/log/monitoring-agent.log" });
 * await service.close();
 * ```
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { publicKey = "publickey", privateKey = "private-key-0001", tls, port = 0, nonces } = options;
  const protect = (password: string) => new DigestProtection({ realm: REALM, username: publicKey, password, nonces });
  let protection = protect(privateKey);
  let canned: CannedAnswer | "reset" | undefined;
  const settings = new Map<string, ServiceSettings>();
  const requests: ServiceRequest[] = [];

  const listener: RequestListener = (request, response) => {
    const { method = "", url: target = "", headers } = request;
    const verdict = protection.check(method, target, headers.authorization);
    const answer = !verdict.accepted ? unauthorized(verdict.challenge) : (canned ?? answerTo(method, target, settings));
    requests.push({ method, target, headers, status: answer === "reset" ? 0 : answer.status });
    if (answer === "reset") request.socket.resetAndDestroy();
    else send(response, answer, verdict.accepted ? verdict.headers : {});
  };

  const server = tls === undefined ? createServer(listener) : createTlsServer({ ...tls }, listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The service does not listen on a port.");

  return {
    baseUrl: `${tls === undefined ? "http" : "https"}://127.0.0.1:${address.port}${PREFIX}`,
    requests,
    set(projectId, agent, body) {
      if (body === undefined) settings.delete(pathOf(projectId, agent));
      else settings.set(pathOf(projectId, agent), body);
    },
    answerWith(answer) {
      canned = answer;
    },
    rotateKey(key) {
      protection = protect(key);
    },
    forgetNonces() {
      protection.forgetNonces();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

// The contract, section 4
function pathOf(projectId: string, agent: Agent): string {
  return `${PREFIX}/groups/${projectId}/automationConfig/${agent}AgentConfig`;
}

function answerTo(method: string, target: string, settings: ReadonlyMap<string, ServiceSettings>): CannedAnswer {
  const { pathname, searchParams } = new URL(target, "http://localhost");
  const pretty = searchParams.get("pretty") === "true";
  const envelope = searchParams.get("envelope") === "true";
  const { status, content } = method === "GET" ? contentOf(pathname, settings) : methodNotAllowed();
  // With an envelope every answer is 200, and the body carries the status (contract, section 4.4).
  const body = envelope ? { status, content } : content;
  return {
    status: envelope ? 200 : status,
    headers: { "Content-Type": "application/json", "X-Example-Service-Version": VERSION },
    body: JSON.stringify(body, null, pretty ? 2 : undefined),
  };
}

interface Content {
  readonly status: number;
  readonly content: unknown;
}

const READ = new RegExp(`^(${PREFIX}/groups/([0-9a-f]{24})/automationConfig/)(?:monitoring|backup)AgentConfig$`, "i");

function contentOf(path: string, settings: ReadonlyMap<string, ServiceSettings>): Content {
  const [, project, projectId] = READ.exec(path) ?? [];
  if (project === undefined || projectId === undefined) {
    return refusal(404, "Not Found", "RESOURCE_NOT_FOUND", `Cannot find resource ${path}.`, [path]);
  }
  if (![...settings.keys()].some((key) => key.startsWith(project))) {
    return refusal(404, "Not Found", "GROUP_NOT_FOUND", `No group with ID ${projectId} exists.`, [projectId]);
  }
  return { status: 200, content: settings.get(path) ?? {} };
}

function methodNotAllowed(): Content {
  return refusal(405, "Method Not Allowed", "METHOD_NOT_ALLOWED", "Only GET is supported.", []);
}

function refusal(status: number, reason: string, errorCode: string, detail: string, parameters: string[]): Content {
  return { status, content: { error: status, reason, errorCode, detail, parameters } };
}

// The contract, section 7
function unauthorized(challenge: string): CannedAnswer {
  return {
    status: 401,
    headers: { "Content-Type": "application/json;charset=ISO-8859-1", "WWW-Authenticate": challenge },
    body: JSON.stringify({ error: 401, reason: "Unauthorized", detail: "You are not authorized for this resource." }),
  };
}

function send(response: ServerResponse, answer: CannedAnswer, extra: Readonly<Record<string, string>>): void {
  const { status, headers = {}, body = "" } = answer;
  response.writeHead(status, {
    Vary: "Accept-Encoding",
    "Strict-Transport-Security": "max-age=300",
    "Content-Length": Buffer.byteLength(body),
    ...headers,
    ...extra,
  });
  response.end(body);
}
