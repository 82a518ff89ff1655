import tls from "node:tls";
import { type Dispatcher, EnvHttpProxyAgent, interceptors } from "undici";
import { digest } from "../digest/index.ts";
import type { AgentLogConfigResult, ServiceVersion } from "./agent-log-config.ts";
import { agentLogConfigId } from "./agent-log-config-id.ts";
import { readAgentLogSettings } from "./agent-log-settings.ts";
import { type Connection, type ConnectionOptions, checkConnection } from "./connection.ts";
import { connectionError } from "./connection-error.ts";
import { AgentLogConfigError } from "./errors.ts";
import { checkReadArguments, type ReadArguments } from "./read-arguments.ts";
import { serviceError } from "./service-error.ts";
import { readServiceVersion } from "./service-version.ts";

export interface ReadOptions {
  /** Ends the read; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer as the service sent it. It may hold credentials. */
export interface RawAgentLogConfig {
  readonly text: string;
  /** The parsed text, out of its envelope. */
  readonly body: unknown;
  readonly serviceVersion: ServiceVersion | undefined;
}

/** Connections to the service that are open at once; further reads wait for one. */
const MAX_CONNECTIONS = 16;
/** Bytes of an answer; a real one has some thousand. */
const MAX_BODY_LENGTH = 1_048_576;

/**
 * Reads the log settings of agents from the service.
 *
 * Nothing is connected before the first read. Connections are kept for later reads and do not keep the process alive.
 * Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
 *
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
  readonly #timeoutSeconds: number;
  readonly #dispatcher: Dispatcher;

  /** @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` for options that can't work */
  constructor(options: ConnectionOptions) {
    const connection = checkConnection(options);
    this.#url = new URL(connection.baseUrl);
    this.#timeoutSeconds = connection.timeoutSeconds;
    this.#dispatcher = openDispatcher(this.#url, connection);
  }

  /**
   * Reads the settings, typed; fields that are not of the contract, section 2.1, are left out, and so are credentials.
   * @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` for arguments that can't work
   * @throws {@link AgentLogConfigError} for everything else; its `code` says what
   */
  async get(args: ReadArguments, { signal }: ReadOptions = {}): Promise<AgentLogConfigResult> {
    const checked = checkReadArguments(args);
    const failure = this.#failure(checked);
    const { body, serviceVersion } = await this.#read(checked, signal, failure);
    const { projectId, agent } = checked;
    const settings = readAgentLogSettings(body, failure);
    return { id: agentLogConfigId(projectId, agent), projectId, agent, ...settings, serviceVersion };
  }

  /**
   * Reads the settings as the service sends them, credentials and unknown fields among them.
   * @throws as {@link AgentLogConfigClient.get} does
   */
  async getRaw(args: ReadArguments, { signal }: ReadOptions = {}): Promise<RawAgentLogConfig> {
    const checked = checkReadArguments(args);
    return this.#read(checked, signal, this.#failure(checked));
  }

  /** Waits for reads under way and closes the connections. */
  async close(): Promise<void> {
    await this.#dispatcher.close();
  }

  async #read(args: ReadArguments, signal: AbortSignal | undefined, failure: string): Promise<RawAgentLogConfig> {
    signal?.throwIfAborted();
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.#timeoutSeconds * 1000);
    try {
      const either = signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]);
      return readResponse(await this.#request(args, either), failure);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof AgentLogConfigError) throw cause;
      if (!timeout.signal.aborted) throw connectionError(cause, failure);
      const seconds = this.#timeoutSeconds;
      const message = `${failure}: no answer within ${seconds} s; check the network, or raise timeoutSeconds.`;
      throw new AgentLogConfigError("ERR_TIMEOUT", message, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  // The contract, sections 4.1, 4.2, 4.4 and 4.5
  async #request({ projectId, agent, envelope, pretty }: ReadArguments, signal: AbortSignal): Promise<Response> {
    const query = [envelope && "envelope=true", pretty && "pretty=true"].filter(Boolean).join("&");
    const path = `${this.#url.pathname}/groups/${projectId}/automationConfig/${agent}AgentConfig`;
    const { statusCode, headers, body } = await this.#dispatcher.request({
      origin: this.#url.origin,
      path: query === "" ? path : `${path}?${query}`,
      method: "GET",
      headers: { accept: "application/json" },
      signal,
    });
    return { status: statusCode, headers, text: await body.text() };
  }

  /** How every message about a failed read begins. */
  #failure({ projectId, agent }: ReadArguments): string {
    return `Can't read the ${agent} agent's log settings of project ${projectId} from ${this.#url.host}`;
  }
}

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

function openDispatcher({ origin }: URL, connection: Connection): Dispatcher {
  const { publicKey, privateKey, caCertificate, maxRetries } = connection;
  const ca = caCertificate === undefined ? {} : { ca: [...tls.getCACertificates("default"), caCertificate] };
  const agent = new EnvHttpProxyAgent({
    connections: MAX_CONNECTIONS,
    maxResponseSize: MAX_BODY_LENGTH,
    connect: ca,
    requestTls: ca,
    // Left out, the environment would be asked for it at every request.
    noProxy: process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "",
  });
  return agent.compose(
    digest({ username: publicKey, password: privateKey, origins: [origin] }),
    interceptors.retry({ maxRetries, statusCodes: [429, 502, 503, 504], throwOnError: false }),
  );
}

function readResponse({ status, headers, text }: Response, failure: string): RawAgentLogConfig {
  const parsed = parseJson(text);
  const { status: innerStatus, content } = unwrap(parsed);
  const worst = Math.max(status, innerStatus);
  if (worst >= 400) throw serviceError(worst, content, failure);
  if (status !== 200) throw invalidResponse(failure, `the answer has status ${status} instead of 200`);
  // The text is not quoted: it may be settings that were cut off.
  if (content === undefined)
    throw invalidResponse(failure, `the answer is no JSON (${headers["content-type"] ?? "of no content type"})`);
  return { text, body: content, serviceVersion: readServiceVersion(headers) };
}

function invalidResponse(failure: string, why: string): AgentLogConfigError {
  return new AgentLogConfigError("ERR_INVALID_RESPONSE", `${failure}: ${why}; check baseUrl and proxies on the way.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Takes an answer out of its envelope; an error that came without one counts as well (contract, section 4.4). */
function unwrap(body: unknown): { readonly status: number; readonly content: unknown } {
  if (!isObject(body)) return { status: 0, content: body };
  const { status, content, error } = body;
  if (typeof status === "number" && content !== undefined) return { status, content };
  return { status: typeof error === "number" ? error : 0, content: body };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
