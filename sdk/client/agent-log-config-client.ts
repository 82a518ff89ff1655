import tls from "node:tls";
import { type Dispatcher, EnvHttpProxyAgent, interceptors } from "undici";
import { z } from "zod";
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
  readonly #connection: Connection;
  readonly #dispatcher: Dispatcher;

  /** @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` for options that can't work */
  constructor(options: ConnectionOptions) {
    this.#connection = checkConnection(options);
    this.#dispatcher = openDispatcher(this.#connection);
  }

  /**
   * Reads the settings, typed; fields that are not of the contract, section 2.1, are left out, and so are credentials.
   * @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` for arguments that can't work
   * @throws {@link AgentLogConfigError} for everything else; its `code` says what
   */
  async get(args: ReadArguments, options: ReadOptions = {}): Promise<AgentLogConfigResult> {
    const { projectId, agent } = checkReadArguments(args);
    const { body, serviceVersion } = await this.getRaw(args, options);
    const settings = readAgentLogSettings(body, this.#failure(args));
    return { id: agentLogConfigId(projectId, agent), projectId, agent, ...settings, serviceVersion };
  }

  /**
   * Reads the settings as the service sends them, credentials and unknown fields among them.
   * @throws as {@link AgentLogConfigClient.get} does
   */
  async getRaw(args: ReadArguments, { signal }: ReadOptions = {}): Promise<RawAgentLogConfig> {
    const checked = checkReadArguments(args);
    const failure = this.#failure(checked);
    return readResponse(await this.#request(checked, signal, failure), failure);
  }

  /** Waits for reads under way and closes the connections. */
  async close(): Promise<void> {
    await this.#dispatcher.close();
  }

  async #request(args: ReadArguments, signal: AbortSignal | undefined, failure: string): Promise<Response> {
    signal?.throwIfAborted();
    const { timeoutSeconds } = this.#connection;
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    try {
      const { statusCode, headers, body } = await this.#dispatcher.request({
        ...this.#target(args),
        method: "GET",
        // The contract, section 4.5
        headers: { accept: "application/json" },
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      return { status: statusCode, headers, text: await readText(body, failure) };
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof AgentLogConfigError) throw cause;
      if (!timeout.aborted) throw connectionError(cause, failure);
      throw new AgentLogConfigError(
        "ERR_TIMEOUT",
        `${failure}: no answer within ${timeoutSeconds} s; check the network, or raise timeoutSeconds.`,
        { cause },
      );
    }
  }

  // The contract, sections 4.1, 4.2 and 4.4
  #target({ projectId, agent, envelope, pretty }: ReadArguments): { origin: string; path: string } {
    const url = new URL(`${this.#connection.baseUrl}/groups/${projectId}/automationConfig/${agent}AgentConfig`);
    if (envelope) url.searchParams.set("envelope", "true");
    if (pretty) url.searchParams.set("pretty", "true");
    return { origin: url.origin, path: `${url.pathname}${url.search}` };
  }

  /** How every message about a failed read begins. */
  #failure({ projectId, agent }: ReadArguments): string {
    return `Can't read the ${agent} agent's log settings of project ${projectId} from ${new URL(this.#connection.baseUrl).host}`;
  }
}

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

function openDispatcher({ baseUrl, publicKey, privateKey, caCertificate, maxRetries }: Connection): Dispatcher {
  const ca = caCertificate === undefined ? {} : { ca: [...tls.getCACertificates("default"), caCertificate] };
  return new EnvHttpProxyAgent({ connections: MAX_CONNECTIONS, connect: ca, requestTls: ca }).compose(
    digest({ username: publicKey, password: privateKey, origins: [new URL(baseUrl).origin] }),
    interceptors.retry({ maxRetries, statusCodes: [429, 502, 503, 504], throwOnError: false }),
  );
}

async function readText(body: Dispatcher.ResponseData["body"], failure: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early destroys the body, and with it the connection.
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BODY_LENGTH) throw invalidResponse(failure, `the answer is longer than ${MAX_BODY_LENGTH} bytes`);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
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

const envelopeSchema = z.object({ status: z.int(), content: z.unknown() });
const errorSchema = z.object({ error: z.int() });

/** Takes an answer out of its envelope; an error that came without one counts as well (contract, section 4.4). */
function unwrap(body: unknown): { readonly status: number; readonly content: unknown } {
  const envelope = envelopeSchema.safeParse(body);
  if (envelope.success) return envelope.data;
  return { status: errorSchema.safeParse(body).data?.error ?? 0, content: body };
}
