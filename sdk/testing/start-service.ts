import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Agent } from "../client/agent-log-config-id.ts";
import { PREFIX } from "../client/connection.ts";
import { answerRequest, unauthorized } from "./answer-request.ts";
import { DigestProtection } from "./digest-protection.ts";
import { type CannedAnswer, checkFaults, type Fault, isAnswer, isCut } from "./fault.ts";
import { Projects, type ServiceSettings } from "./projects.ts";
import { sendAnswer } from "./send-answer.ts";
import { checkServiceOptions, type ServiceOptions } from "./service-options.ts";

/** One request that the service was sent. */
export interface ServiceRequest {
  /** As it was sent, such as `GET`. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names are in lower case. */
  readonly headers: Readonly<IncomingMessage["headers"]>;
  /** The HTTP status of the answer; 0 where the connection was cut instead. */
  readonly status: number;
}

/** A stand-in of the service that runs in this process. */
export interface Service {
  /** What to configure as `baseUrl`, with the path prefix `/api/public/v1.0`. */
  readonly baseUrl: string;
  /** Every request so far, those that were refused among them, oldest first. */
  readonly requests: readonly ServiceRequest[];
  /**
   * Replaces the settings of one agent; `undefined` removes them. An agent without settings has every field absent, a
   * project whose last settings are removed is not found.
   * @param projectId 24 hexadecimal digits
   * @param agent `"monitoring"` or `"backup"`
   * @param settings the body of the answer, any JSON object
   * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for another id or agent
   */
  set(projectId: string, agent: Agent, settings: ServiceSettings | undefined): void;
  /**
   * Lets the next authenticated requests go wrong, one fault each, after those that are still to come.
   * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for what is no {@link Fault}
   */
  failNext(...faults: readonly Fault[]): void;
  /**
   * Answers every authenticated request that has no fault of its own like this from now on; `undefined` ends that.
   * `"reset"` resets the connection.
   * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for an answer that can't be sent
   */
  answerWith(answer: CannedAnswer | "reset" | undefined): void;
  /** Takes another private key from now on and forgets all nonces. */
  rotateKey(privateKey: string): void;
  /** Forgets all nonces, as a restart does. */
  forgetNonces(): void;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}

const REALM = "Example Public API";

/**
 * Starts a stand-in of the service on 127.0.0.1: both reads behind HTTP Digest, with envelope, pretty printing and the
 * version header.
 *
 * @param options how it is reached, and what it starts with
 * @returns once it listens
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for options that can't work
 * @throws Error of Node.js where the port is taken or a key or certificate can't be read
 * @see the contract, sections 4 to 7
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
  checkServiceOptions(options);
  const { publicKey = "publickey", privateKey = "private-key-0001", tls, port = 0, nonces } = options;
  const protect = (password: string) => new DigestProtection({ realm: REALM, username: publicKey, password, nonces });
  const projects = new Projects(options.settings ?? {});
  const faults: Fault[] = [];
  const requests: ServiceRequest[] = [];
  let protection = protect(privateKey);
  let canned: CannedAnswer | "reset" | undefined;

  const failNext = (...more: readonly Fault[]) => {
    checkFaults(more);
    faults.push(...more);
  };
  failNext(...(options.faults ?? []));

  const listener: RequestListener = (request, response) => {
    const { method = "", url: target = "", headers } = request;
    const check = () => protection.check(method, target, headers.authorization);
    let verdict = check();
    const fault = verdict.accepted ? (faults.shift() ?? canned) : undefined;
    if (fault === "forgetNonces") {
      protection.forgetNonces();
      verdict = check();
    }
    const own = verdict.accepted ? answerRequest(method, target, projects) : unauthorized(verdict.challenge);
    const answer = isAnswer(fault) ? fault : own;
    const added = verdict.accepted ? verdict.headers : {};
    requests.push({ method, target, headers, status: isCut(fault) ? 0 : answer.status });
    sendAnswer(response, { ...answer, headers: { ...answer.headers, ...added } }, fault);
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
    set(projectId, agent, settings) {
      projects.set(projectId, agent, settings);
    },
    failNext,
    answerWith(answer) {
      if (answer !== undefined) checkFaults([answer]);
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
