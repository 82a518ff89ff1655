import "../refuse-other-runtimes.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { UnsignedRequest } from "../digest/signed-request.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import { type CheckedOptions, checkOptions } from "../model/connection-options.ts";
import { AgentLogConfigError, errorOf } from "../model/errors.ts";
import type { PlaceOf } from "../model/parse-argument.ts";
import { idOf, type ReadArguments } from "../model/read-arguments.ts";
import { type Connection, ConnectionPool } from "../transport/connection.ts";
import { connectionFactory } from "../transport/connection-factory.ts";
import { type EnvironmentProxy, environmentProxy } from "../transport/environment-proxy.ts";
import { abortable } from "./abortable.ts";
import { attempt, type PendingRead } from "./attempt.ts";
import { decodeAgentLogSettings } from "./decode-settings.ts";
import type { ResponseContent } from "./parse-response.ts";
import { ReadGate } from "./read-gate.ts";
import { isDefectOfService } from "./service-error.ts";

export interface ServiceReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Replaces that of the connection. */
  readonly maxRetries?: number | undefined;
  readonly onRetry?: OnRetry;
}

/** Is called when a read is going to be tried again because of this error. */
export type OnRetry = (retry: number, maxRetries: number, error: AgentLogConfigError) => void;

/**
 * Reads over one connection. It remembers why reads have failed, so that it sends no others that are certain to fail. In a run nobody
 * corrects a key or a service, so only a client that outlives it has to forget.
 */
export class ServiceClient {
  readonly #options: CheckedOptions;
  readonly #url: URL;
  readonly #proxy: EnvironmentProxy | undefined;
  readonly #pool: ConnectionPool;
  readonly #reads = new Set<Promise<unknown>>();
  #gate: ReadGate;
  #closing: Promise<void> | undefined;

  /** @param options {@link ConnectionOptions}, not checked yet */
  constructor(options: unknown, placeOf?: PlaceOf) {
    this.#options = checkOptions(options, placeOf);
    this.#url = new URL(this.#options.baseUrl);
    this.#proxy = environmentProxy(this.#url);
    this.#pool = new ConnectionPool(connectionFactory(this.#options, this.#proxy));
    this.#gate = new ReadGate(this.#pool);
  }

  async read(args: ReadArguments, options: ServiceReadOptions): Promise<AgentLogConfigResult> {
    const { signal } = options;
    const { projectId, agent, envelope = false } = args;
    const { host } = this.#url;
    const subject = `Can't read the ${agent} agent's log settings of project ${projectId} from ${host}`;
    signal?.throwIfAborted();
    if (this.#closing !== undefined) {
      throw new AgentLogConfigError("ERR_CLIENT_CLOSED", "the client is closed; create another one", { subject });
    }
    const request = requestOf(this.#url, args);
    const pending = { request, envelope, subject, options: this.#options, proxy: this.#proxy, signal };
    const read = abortable(this.#readInTurn(pending, options), signal);
    this.#reads.add(read);
    try {
      const { body, serviceVersion } = await read;
      const settings = decodeAgentLogSettings(body, subject);
      return { id: idOf(args), projectId, agent, ...settings, serviceVersion };
    } catch (error) {
      signal?.throwIfAborted();
      const readError = this.#withProxy(errorOf(error, subject));
      // The error was made when a socket closed or a timer ended. The stack of this place has the caller.
      Error.captureStackTrace(readError);
      throw readError;
    } finally {
      this.#reads.delete(read);
    }
  }

  /** Forgets why reads have failed, unless one is under way: somebody may have corrected the key or the service since. */
  forgetFailures(): void {
    if (this.#reads.size === 0) this.#gate = new ReadGate(this.#pool);
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#reads).then(() => this.#pool.destroy());
    return this.#closing;
  }

  /**
   * Waits for a connection and for the turn of the read, and keeps both until the read has a final response, its time is over, or the
   * caller gives it up. So at most 16 reads are retried at the same time, one on each connection.
   */
  async #readInTurn(read: PendingRead, options: ServiceReadOptions): Promise<ResponseContent> {
    const connection = await this.#pool.acquire();
    try {
      return await this.#gate.pass(read, () => this.#attemptUntilFinal(connection, read, options));
    } finally {
      this.#pool.release(connection);
    }
  }

  /** Makes attempts until one is final. The interceptor of undici for retries would join the parts of two responses. */
  async #attemptUntilFinal(
    connection: Connection,
    read: PendingRead,
    { signal, onRetry, maxRetries = this.#options.maxRetries }: ServiceReadOptions,
  ): Promise<ResponseContent> {
    const end = performance.now() + this.#options.timeoutSeconds * 1000;
    let error: AgentLogConfigError | undefined;
    for (let retries = 0; ; retries += 1) {
      try {
        return await attempt(connection, read, end, error);
      } catch (thrown) {
        signal?.throwIfAborted();
        error = errorOf(thrown, read.subject);
      }
      // Behind a load balancer, another connection may lead to a server that responds. The next read uses it, too. A rate limit would
      // also count the challenge of another connection.
      if (error.temporary && error.code !== "ERR_RATE_LIMITED") connection.replace();
      // The pause is 0.5 s, doubled with each retry, minus up to half of it at random, so that clients do not all come back at the
      // same time.
      const wait = (error.retryAfterSeconds ?? 0) * 1000 + 500 * 2 ** retries * (1 - Math.random() / 2);
      const isLast = retries >= maxRetries || performance.now() + wait >= end;
      if (isLast || !isRetryable(error)) throw withAttempts(error, retries + 1);
      onRetry?.(retries + 1, maxRetries, error);
      const pause = Promise.withResolvers<void>();
      const timer = setTimeout(pause.resolve, wait);
      await abortable(pause.promise, signal, () => clearTimeout(timer));
      // In a busy program the pause may end late, and another read may have learned meanwhile that the key is refused.
      if (performance.now() >= end) throw withAttempts(error, retries + 1);
      this.#gate.throwIfRefused(read);
    }
  }

  /** Says that a proxy may have sent a response, unless it has a code or refuses the key, as only the service does. */
  #withProxy(error: AgentLogConfigError): AgentLogConfigError {
    const { code, status, errorCode } = error;
    const isResponse = status !== undefined || code === "ERR_AUTHENTICATION";
    const isOfService = errorCode !== undefined || code === "ERR_WRONG_KEY";
    if (this.#proxy?.isForwarding !== true || !isResponse || isOfService) return error;
    return error.withAdvice(`The proxy ${this.#proxy.host} may have answered instead of the service.`);
  }
}

function requestOf({ origin, pathname }: URL, { projectId, agent, envelope, pretty }: ReadArguments): UnsignedRequest {
  const query = [envelope ? "envelope=true" : "", pretty ? "pretty=true" : ""].filter(Boolean).join("&");
  const path = `${pathname}/groups/${projectId}/automationConfig/${agent}AgentConfig${query && `?${query}`}`;
  return { origin, path, method: "GET", headers: HEADERS };
}

const HEADERS = {
  accept: "application/json",
  "accept-encoding": "identity",
  "user-agent": `pulumi-agent-log-config/${packageJson.version}`,
};

/** Outages are retried, except defects of the service, and status 401 with a stale challenge, which is the last of several. */
function isRetryable(error: AgentLogConfigError): boolean {
  return error.temporary && !isDefectOfService(error) && error.status !== 401;
}

function withAttempts(error: AgentLogConfigError, attempts: number): AgentLogConfigError {
  return attempts === 1 ? error : error.with({ attempts });
}
