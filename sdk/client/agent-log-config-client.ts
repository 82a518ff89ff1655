import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import tls from "node:tls";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { digest } from "../digest/index.ts";
import { agentLogConfigId } from "./agent-log-config-id.ts";
import type { AgentLogConfigResult } from "./agent-log-config-result.ts";
import { type Connection, checkConnection } from "./connection.ts";
import { connectionError } from "./connection-error.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { decodeAgentLogSettings } from "./decode-agent-log-settings.ts";
import { MAX_BODY_LENGTH } from "./decode-body.ts";
import { environmentProxy } from "./environment-proxy.ts";
import { AgentLogConfigError } from "./errors.ts";
import { checkReadArguments, type ReadArguments } from "./read-arguments.ts";
import { type RawAgentLogConfig, readResponse, type WireResponse } from "./read-response.ts";

/** How to read. */
export interface ReadOptions {
  /** Ends the read at once, its repeats included; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Connections to the service that are open at once; further reads wait for one. */
const MAX_CONNECTIONS = 16;
/** Seconds for one connection, with TLS and a proxy's answer. */
const MAX_CONNECT_SECONDS = 10;

/**
 * Reads the log settings of agents from the service.
 *
 * Nothing is connected before the first read. Connections are kept for later reads and do not keep the process alive.
 * Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
 *
 * @see the contract, sections 4 and 5
 * @example
 * ```ts
 * import { AgentLogConfigClient } from "pulumi-agent-log-config/client";
 *
 * const client = new AgentLogConfigClient({
 *   baseUrl: "https://example.com:8443",
 *   publicKey: "publickey",
 *   privateKey: "private-key",
 * });
 * const { logPath } = await client.get({ projectId: "0123456789abcdef01234567", agent: "monitoring" });
 * await client.close();
 * ```
 */
export class AgentLogConfigClient {
  readonly #url: URL;
  readonly #connection: Connection;
  readonly #dispatcher: Dispatcher;
  readonly #reads = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  /**
   * @param options how to reach the service, and as whom
   * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for options that can't work
   */
  constructor(options: ConnectionOptions) {
    this.#connection = checkConnection(options);
    this.#url = new URL(this.#connection.baseUrl);
    this.#dispatcher = openDispatcher(this.#url, this.#connection);
  }

  /**
   * Reads the settings, typed; fields that are not of the contract, section 2.1, are left out, and so are credentials.
   * @param args what to read
   * @param options `signal` ends the read
   * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for arguments that can't work
   * @throws {@link AgentLogConfigError} for everything else; its `code` says what
   */
  async get(args: ReadArguments, { signal }: ReadOptions = {}): Promise<AgentLogConfigResult> {
    const checked = checkReadArguments(args);
    const failure = this.#failure(checked);
    const { body, serviceVersion } = await this.#read(checked, signal, failure);
    const { projectId, agent } = checked;
    const settings = decodeAgentLogSettings(body, failure);
    return { id: agentLogConfigId(projectId, agent), projectId, agent, ...settings, serviceVersion };
  }

  /**
   * Reads the settings as the service sends them, credentials and unknown fields among them.
   * @param args what to read
   * @param options `signal` ends the read
   * @throws as {@link AgentLogConfigClient.get} does
   */
  async getRaw(args: ReadArguments, { signal }: ReadOptions = {}): Promise<RawAgentLogConfig> {
    const checked = checkReadArguments(args);
    return this.#read(checked, signal, this.#failure(checked));
  }

  /** Waits for the reads under way, then closes the connections; the same promise each time. */
  close(): Promise<void> {
    // A read that was ended may still be connecting, which only destroying ends.
    this.#closed ??= Promise.allSettled(this.#reads).then(() => this.#dispatcher.destroy());
    return this.#closed;
  }

  async #read(args: ReadArguments, signal: AbortSignal | undefined, failure: string): Promise<RawAgentLogConfig> {
    signal?.throwIfAborted();
    if (this.#closed !== undefined) {
      throw new AgentLogConfigError("ERR_CLIENT_CLOSED", `${failure}: the client is closed; create another one.`);
    }
    const { timeoutSeconds } = this.#connection;
    const message = `${failure}: no answer within ${timeoutSeconds} s; check the network, or raise timeoutSeconds.`;
    const controller = new AbortController();
    const ended = Promise.withResolvers<never>();
    // undici hears of an abort only once it is connected.
    const end = (reason: unknown) => {
      controller.abort(reason);
      ended.reject(reason);
    };
    const timer = setTimeout(() => end(new AgentLogConfigError("ERR_TIMEOUT", message)), timeoutSeconds * 1000);
    const endBySignal = () => end(signal?.reason);
    signal?.addEventListener("abort", endBySignal);
    const read = this.#readOrRepeat(args, controller.signal, failure);
    this.#reads.add(read);
    try {
      return await Promise.race([read, ended.promise]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", endBySignal);
      this.#reads.delete(read);
    }
  }

  /** Repeats the whole read; undici's own interceptor would put together what two answers hold. */
  async #readOrRepeat(args: ReadArguments, signal: AbortSignal, failure: string): Promise<RawAgentLogConfig> {
    const { timeoutSeconds, maxRetries, caCertificate } = this.#connection;
    const deadline = performance.now() + timeoutSeconds * 1000;
    for (let repeats = 0; ; repeats += 1) {
      try {
        return readResponse(await this.#request(args, signal), failure);
      } catch (cause) {
        if (signal.aborted) throw cause;
        const error =
          cause instanceof AgentLogConfigError ? cause : connectionError(cause, failure, caCertificate !== undefined);
        const milliseconds = waitBeforeRepeat(error, repeats);
        const inTime = performance.now() + milliseconds < deadline;
        if (!isRepeatable(error) || repeats >= maxRetries || !inTime) throw error;
        await setTimeoutPromise(milliseconds, undefined, { signal });
      }
    }
  }

  // The contract, sections 4.1, 4.2, 4.4 and 4.5
  async #request({ projectId, agent, envelope, pretty }: ReadArguments, signal: AbortSignal): Promise<WireResponse> {
    const query = [envelope && "envelope=true", pretty && "pretty=true"].filter(Boolean).join("&");
    const path = `${this.#url.pathname}/groups/${projectId}/automationConfig/${agent}AgentConfig`;
    const { statusCode, headers, body } = await this.#dispatcher.request({
      origin: this.#url.origin,
      path: query === "" ? path : `${path}?${query}`,
      method: "GET",
      headers: { accept: "application/json" },
      signal,
    });
    return { status: statusCode, headers, body: await body.bytes() };
  }

  /** How every message about a failed read begins. */
  #failure({ projectId, agent }: ReadArguments): string {
    return `Can't read the ${agent} agent's log settings of project ${projectId} from ${this.#url.host}`;
  }
}

function openDispatcher({ origin, protocol }: URL, connection: Connection): Dispatcher {
  const { publicKey, privateKey, caCertificate, timeoutSeconds } = connection;
  const connect = {
    // A second more than the read has, which says better what happened.
    timeout: Math.ceil(Math.min(timeoutSeconds + 1, MAX_CONNECT_SECONDS) * 1000),
    // Left out, NODE_TLS_REJECT_UNAUTHORIZED=0 would switch the check off.
    rejectUnauthorized: true,
    ...(caCertificate === undefined ? {} : { secureContext: trusting(caCertificate) }),
  };
  // The time of the whole read is limited, not that of its parts.
  const limits = { connections: MAX_CONNECTIONS, maxResponseSize: MAX_BODY_LENGTH, headersTimeout: 0, bodyTimeout: 0 };
  const proxy = environmentProxy(protocol, limits, connect.timeout);
  const agent =
    proxy === undefined
      ? new Agent({ ...limits, connect })
      : new EnvHttpProxyAgent({ ...limits, connect, requestTls: connect, proxyTls: connect, ...proxy });
  return agent.compose(digest({ username: publicKey, password: privateKey, origins: [origin] }));
}

/** Made once: each connection would read the system's certificates anew, some 10 ms. */
function trusting(caCertificate: string): tls.SecureContext {
  return tls.createSecureContext({ ca: [...tls.getCACertificates("default"), caCertificate] });
}

/** An outage that may be over at once: not one that the service reports as its own failure. */
function isRepeatable(error: AgentLogConfigError): boolean {
  return error.temporary && error.status !== 500;
}

/**
 * As long as the service asks for, and half a second, then twice as long each time, less up to half of it by chance, so that
 * not all come back at once.
 */
function waitBeforeRepeat(error: AgentLogConfigError, repeats: number): number {
  const asked = error.retryAfterSeconds ?? 0;
  return asked * 1000 + 500 * 2 ** repeats * (1 - Math.random() / 2);
}
