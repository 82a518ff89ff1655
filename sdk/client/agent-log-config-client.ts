import "../model/refuse-other-runtimes.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { UnsignedRequest } from "../digest/signed-request.ts";
import { agentLogConfigId } from "../model/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { type CompleteOptions, completeOptions } from "../model/complete-options.ts";
import type { ConnectionOptions } from "../model/connection-options.ts";
import { AgentLogConfigError, errorOf, invalidArgument } from "../model/errors.ts";
import { isObject } from "../model/is-object.ts";
import { type PlaceOf, parseArgument } from "../model/parse-argument.ts";
import { type ReadArguments, readArgumentsSchema } from "../model/read-arguments.ts";
import { abortable } from "../transport/abortable.ts";
import { connectionFactory } from "../transport/connection.ts";
import { ConnectionPool } from "../transport/connection-pool.ts";
import { environmentProxy } from "../transport/environment-proxy.ts";
import { decodeAgentLogSettings } from "./decode-agent-log-settings.ts";
import { ReadGate } from "./read-gate.ts";
import { retriedRead } from "./retried-read.ts";

/** How to read. */
export interface ReadOptions {
  /** Ends the read at once, with its retries. The read then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** @internal The arguments may have secrets, so no message quotes them if they are invalid. Default: false. */
  readonly isSecret?: boolean | undefined;
  /** @internal Replaces that of the connection. */
  readonly maxRetries?: number | undefined;
  /** @internal Is called when the read is going to be tried again, with the number of the retry and the reason. */
  readonly onRetry?: ((text: string) => void) | undefined;
}

/**
 * Reads the log settings of agents from the service.
 *
 * No connection is opened before the first read. Connections are kept for later reads and do not keep the process alive.
 * The proxy comes from the environment variable HTTPS_PROXY, or HTTP_PROXY for plain http, in upper or lower case. NO_PROXY lists
 * host names, domains and addresses, each with or without a port; ranges such as 10.0.0.0/8 are not supported.
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
  readonly #options: CompleteOptions;
  readonly #url: URL;
  readonly #proxy: ReturnType<typeof environmentProxy>;
  readonly #pool: ConnectionPool;
  readonly #reads = new Set<Promise<unknown>>();
  /** What its reads know of each other. */
  #gate = new ReadGate();
  /** A run reads at different times, and nobody corrects a key or a service meanwhile. */
  readonly #isForRun: boolean;
  #closing: Promise<void> | undefined;

  /**
   * @param options the address of the service and the key to read with
   * @throws {@link AgentLogConfigError} `ERR_INVALID_SETTINGS` for options that are invalid
   */
  constructor(options: ConnectionOptions);
  /** @internal A client of a run. `placeOf` says where a setting comes from. */
  constructor(options: unknown, placeOf: PlaceOf);
  constructor(options: unknown, placeOf?: PlaceOf) {
    this.#options = completeOptions(options, placeOf);
    this.#isForRun = placeOf !== undefined;
    this.#url = new URL(this.#options.baseUrl);
    this.#proxy = environmentProxy(this.#url);
    this.#pool = new ConnectionPool(connectionFactory(this.#options, this.#proxy));
  }

  /**
   * Reads the settings, checked and typed. Credentials and unknown fields of the response are left out.
   * @param args what to read
   * @param options `signal` ends the read
   * @throws {@link AgentLogConfigError} whose `code` says what failed; `ERR_INVALID_ARG_VALUE` for arguments that are invalid
   */
  get(args: ReadArguments, options?: ReadOptions): Promise<AgentLogConfigResult>;
  /** @internal */
  get(args: unknown, options: ReadOptions): Promise<AgentLogConfigResult>;
  async get(args: unknown, options: ReadOptions = {}): Promise<AgentLogConfigResult> {
    refuseImpossibleOptions(options);
    // Earlier failures no longer count, because somebody may have corrected the key or the service since.
    if (!this.#isForRun && this.#reads.size === 0) this.#gate = new ReadGate();
    const { signal, isSecret = false, onRetry, maxRetries = this.#options.maxRetries } = options;
    const readArguments = parseArgument(readArgumentsSchema, args, "Nothing was read", { isSecret });
    const { projectId, agent, envelope = false } = readArguments;
    const { host } = this.#url;
    const subject = `Can't read the ${agent} agent's log settings of project ${projectId} from ${host}`;
    signal?.throwIfAborted();
    if (this.#closing !== undefined) {
      throw new AgentLogConfigError("ERR_CLIENT_CLOSED", "the client is closed; create another one", { subject });
    }
    const request = requestOf(this.#url, readArguments);
    // Many reads may share one signal. Each read adds only one listener to it, because to remove a listener takes longer the more
    // there are.
    const controller = signal && new AbortController();
    const abortOwn = () => controller?.abort(signal?.reason);
    signal?.addEventListener("abort", abortOwn);
    const plan = {
      pool: this.#pool,
      proxy: this.#proxy,
      options: this.#options,
      maxRetries,
      request,
      envelope,
      subject,
      signal: controller?.signal,
      gate: this.#gate,
      onRetry,
    };
    const read = abortable(retriedRead(plan), controller?.signal);
    this.#reads.add(read);
    try {
      const { body, serviceVersion } = await read;
      const settings = decodeAgentLogSettings(body, subject);
      return { id: agentLogConfigId(projectId, agent), projectId, agent, ...settings, serviceVersion };
    } catch (error) {
      signal?.throwIfAborted();
      const readError = this.#withProxy(errorOf(error, subject));
      // The error was made when a socket closed or a timer ended. The stack of this place has the caller.
      Error.captureStackTrace(readError);
      throw readError;
    } finally {
      signal?.removeEventListener("abort", abortOwn);
      this.#reads.delete(read);
    }
  }

  /** Says that a proxy may have sent a response, unless the response has a code or a challenge, which only the service sends. */
  #withProxy(error: AgentLogConfigError): AgentLogConfigError {
    const { code, status, errorCode } = error;
    const isOfService = status === undefined || errorCode !== undefined || code === "ERR_WRONG_KEY";
    if (this.#proxy?.isForwarding !== true || isOfService) return error;
    return error.advised(`The proxy ${this.#proxy.host} may have answered instead of the service.`);
  }

  /** Waits for the reads under way, then closes the connections. It returns the same promise each time. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#reads).then(() => this.#pool.destroy());
    return this.#closing;
  }
}

function refuseImpossibleOptions(options: unknown): void {
  const subject = "Nothing was read";
  if (!isObject(options)) throw invalidArgument("the options must be an object", subject);
  const { signal } = options;
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw invalidArgument("signal must be an AbortSignal", subject);
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
