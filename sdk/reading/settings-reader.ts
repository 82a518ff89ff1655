import type { ServiceClient, ServiceReadOptions } from "../client/service-client.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS } from "../model/connection-options.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import type { ReadArguments } from "../model/read-arguments.ts";
import { type ConnectionSettings, connectionKey, howToSet } from "./connection-settings.ts";
import { ReadProgress } from "./read-progress.ts";
import { refuseUnusableSettings } from "./usable-settings.ts";

interface ReaderOptions extends Pick<ServiceReadOptions, "maxRetries"> {
  /** All reads begin together; otherwise, only those of the members of a fleet do. Default: true. */
  readonly isTotalKnown?: boolean;
}

/**
 * Reads settings for one run. A run has one client for each connection, so that its reads share sockets and nonces, and the errors of
 * some decide whether others are sent. The clients end with the process: their sockets do not keep it alive.
 */
export class SettingsReader {
  readonly #clients = new Map<string, ServiceClient>();
  readonly #maxRetries: number | undefined;
  readonly #progress: ReadProgress;
  /** That of reads that begin together. */
  readonly #progressOfMembers: ReadProgress;

  constructor(show: (text: string) => void, { isTotalKnown, maxRetries }: ReaderOptions = {}) {
    this.#maxRetries = maxRetries;
    this.#progress = new ReadProgress(show, isTotalKnown);
    this.#progressOfMembers = new ReadProgress(show);
  }

  /** @throws AgentLogConfigError for settings of the connection that are invalid, and for a read that failed */
  read(connection: ConnectionSettings, args: ReadArguments): Promise<AgentLogConfigResult> {
    return this.#readWithin(this.#progress, connection, args);
  }

  /** Reads one of the members of a fleet, as {@link read}. */
  readMember(connection: ConnectionSettings, args: ReadArguments): Promise<AgentLogConfigResult> {
    return this.#readWithin(this.#progressOfMembers, connection, args);
  }

  /**
   * Returns the client of a connection. It opens no socket yet.
   * @throws AgentLogConfigError for settings of the connection that are missing or invalid
   */
  async open(connection: ConnectionSettings): Promise<ServiceClient> {
    // The import itself fails on a runtime that is not supported.
    const { openClient } = await import("./open-client.ts");
    const key = connectionKey(connection);
    // A failure is not kept: its message says where the settings were found, and equal settings may stand elsewhere.
    const client = this.#clients.get(key) ?? openClient(connection);
    this.#clients.set(key, client);
    return client;
  }

  /** Reads settings that the engine does not misread. */
  #readWithin(
    progress: ReadProgress,
    connection: ConnectionSettings,
    args: ReadArguments,
  ): Promise<AgentLogConfigResult> {
    return progress.during(async (onRetry) => {
      const client = await this.open(connection);
      const result = await client.read(args, { onRetry, maxRetries: this.#maxRetries }).catch((error) => {
        throw error instanceof AgentLogConfigError ? withPlaces(error, connection) : error;
      });
      refuseUnusableSettings(result);
      return result;
    });
  }
}

/** Says of a wrong key where its halves come from, if they come from two places, and of a time-out how to raise the limit. */
function withPlaces(
  error: AgentLogConfigError,
  { baseUrl, publicKey, privateKey, timeoutSeconds }: ConnectionSettings,
): AgentLogConfigError {
  if (error.code === "ERR_WRONG_KEY" && publicKey?.source !== privateKey?.source) {
    return error.withAdvice(`publicKey comes from ${publicKey?.place}, and privateKey from ${privateKey?.place}.`);
  }
  const seconds = Number(timeoutSeconds?.text ?? DEFAULT_TIMEOUT_SECONDS);
  const { source = "argument" } = timeoutSeconds ?? baseUrl ?? {};
  // In a refresh, the engine gives settings of the stack as arguments.
  if (error.code !== "ERR_TIMEOUT" || seconds === MAX_TIMEOUT_SECONDS || source === "argument") return error;
  const value = String(Math.min(2 * seconds, MAX_TIMEOUT_SECONDS));
  const verb = source === "stack" ? "run" : "set";
  return error.withAdvice(`To wait longer, ${verb} ${howToSet("timeoutSeconds", value, source)}.`);
}
