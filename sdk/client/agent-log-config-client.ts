import "../model/refuse-other-runtimes.ts";
import packageJson from "../../package.json" with { type: "json" };
import { sendSigned, type UnsignedRequest, type WireResponse } from "../digest/signed-request.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import {
  type CompleteOptions,
  type ConnectionOptions,
  completeOptions,
  MAX_TIMEOUT_SECONDS,
} from "../model/connection-options.ts";
import { AgentLogConfigError, errorOf, invalidArgument, withEvidence } from "../model/errors.ts";
import { isObject } from "../model/json.ts";
import { type PlaceOf, parseArgument } from "../model/parse-argument.ts";
import { agentLogConfigId, type ReadArguments, readArgumentsSchema } from "../model/read-arguments.ts";
import { type Connection, ConnectionPool, connectionFactory } from "../transport/connection.ts";
import { connectionError, unreachedError } from "../transport/connection-error.ts";
import { type EnvironmentProxy, environmentProxy, ProxyError } from "../transport/environment-proxy.ts";
import { abortable, ReadGate, type ReadTurn } from "./read-gate.ts";
import {
  decodeAgentLogSettings,
  isErrorForKnownKey,
  type ResponseContent,
  readResponse,
  type SentRead,
} from "./read-response.ts";

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

interface ReadPlan extends ReadTurn, SentRead {
  readonly pool: ConnectionPool;
  readonly proxy: EnvironmentProxy | undefined;
  readonly options: CompleteOptions;
  readonly maxRetries: number;
  readonly gate: ReadGate;
  readonly onRetry: ((text: string) => void) | undefined;
}

/**
 * Makes one read. The read waits for a connection and its turn, and keeps both until it has a final response, its time is over, or
 * the caller gives it up. So at most 16 reads are retried at the same time, one on each connection. The interceptor of undici for
 * retries would join the parts of two responses.
 */
async function retriedRead(plan: ReadPlan): Promise<ResponseContent> {
  const { pool, gate } = plan;
  const connection = await pool.take();
  try {
    return await gate.pass(plan, () => attempts(connection, plan));
  } finally {
    pool.giveBack(connection);
  }
}

async function attempts(connection: Connection, plan: ReadPlan): Promise<ResponseContent> {
  const { options, maxRetries, signal, gate } = plan;
  const end = performance.now() + options.timeoutSeconds * 1000;
  let error: AgentLogConfigError | undefined;
  for (let retries = 0; ; retries += 1) {
    const outcome = await attempt(connection, plan, end, error);
    if (!(outcome instanceof AgentLogConfigError)) return outcome;
    error = outcome;
    // Behind a load balancer, another connection may lead to a server that responds. The next read uses it, too.
    if (error.temporary) connection.replace();
    // The pause is 0.5 s, doubled with each retry, minus up to half of it at random, so that clients do not all come back at the
    // same time.
    const wait = (error.retryAfterSeconds ?? 0) * 1000 + 500 * 2 ** retries * (1 - Math.random() / 2);
    const isLast = retries >= maxRetries || performance.now() + wait >= end;
    if (isLast || !isRetryable(error)) throw afterAttempts(retries + 1, error);
    const [cause = error.code] = error.details.evidence ?? [];
    plan.onRetry?.(`retry ${retries + 1}/${maxRetries} (${cause.replace(/^(?:status |UND_ERR_)/, "")})`);
    const pause = Promise.withResolvers<void>();
    const timer = setTimeout(pause.resolve, wait);
    await abortable(pause.promise, signal, () => clearTimeout(timer));
    // In a busy program the pause may end late, and another read may have learned meanwhile that the key is refused.
    if (performance.now() >= end) throw afterAttempts(retries + 1, error);
    gate.admitAgain(plan);
  }
}

/** Says how often a read was tried. */
function afterAttempts(attempts: number, error: AgentLogConfigError): AgentLogConfigError {
  if (attempts === 1) return error;
  const { says, evidence = [], ...details } = error.details;
  const withCount = [...evidence, `after ${attempts} attempts`];
  return new AgentLogConfigError(error.code, says, { ...details, evidence: withCount });
}

/**
 * @param end when the time of the read is over, on the clock of `performance`
 * @param earlierError how the attempt before has failed
 */
async function attempt(
  connection: Connection,
  plan: ReadPlan,
  end: number,
  earlierError: AgentLogConfigError | undefined,
): Promise<ResponseContent | AgentLogConfigError> {
  const { request, envelope, signal, proxy } = plan;
  connection.beginRequest();
  const answer = Promise.withResolvers<WireResponse>();
  let immediate: NodeJS.Immediate | undefined;
  const giveUp = () => {
    answer.reject(timeoutError(connection, plan, earlierError));
    connection.replace();
  };
  // If the process was busy, a response may have come. Node.js reads it before it runs the immediate.
  const timer = setTimeout(
    () => {
      immediate = setImmediate(giveUp);
    },
    Math.max(0, end - performance.now()),
  );
  try {
    sendSigned(connection, request, (response) => isErrorForKnownKey(response, envelope)).then(
      answer.resolve,
      answer.reject,
    );
    const response = await abortable(answer.promise, signal, () => connection.replace());
    if (response.status === 407 && proxy?.isForwarding === true) throw new ProxyError(proxy, response);
    return readResponse(response, plan);
  } catch (cause) {
    signal?.throwIfAborted();
    return cause instanceof AgentLogConfigError ? cause : connectionError(cause, plan);
  } finally {
    clearTimeout(timer);
    clearImmediate(immediate);
  }
}

/** Says why the time of a read is over, and how the attempt before has failed if that was for another reason. */
function timeoutError(connection: Connection, plan: ReadPlan, earlierError?: AgentLogConfigError): AgentLogConfigError {
  const { timeoutSeconds } = plan.options;
  const advice = timeoutSeconds < MAX_TIMEOUT_SECONDS ? ", or raise timeoutSeconds" : "";
  const says = `no response within ${timeoutSeconds} s; check the network${advice}`;
  const { subject } = plan;
  const error = connection.isOpen ? new AgentLogConfigError("ERR_TIMEOUT", says, { subject }) : unreachedError(plan);
  if (earlierError === undefined || earlierError.details.says === error.details.says) return error;
  return error.advised(`The attempt before failed: ${withEvidence(earlierError.details.says, earlierError.details)}.`);
}

/**
 * Outages are retried, except status 500, which the service sends for its own defects, and status 401 with a stale challenge,
 * which is the last of several.
 */
function isRetryable({ temporary, status }: AgentLogConfigError): boolean {
  return temporary && status !== 500 && status !== 401;
}
