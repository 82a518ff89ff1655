import type { AgentLogConfigClient, ReadOptions } from "../client/agent-log-config-client.ts";
import { refuseEngineMarks } from "../engine/engine-marks.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { type ConnectionSettings, connectionKey } from "./connection-settings.ts";
import { ReadProgress } from "./read-progress.ts";

/** The arguments of a read, not checked yet. */
export interface UncheckedRead {
  readonly projectId?: unknown;
  readonly agent?: unknown;
}

/**
 * Reads settings for one run. A run has one client for each connection, so that its reads share sockets and nonces, and the errors of
 * some decide whether others are sent. The clients end with the process: their sockets do not keep it alive.
 */
export class SettingsReader {
  readonly #clients = new Map<string, AgentLogConfigClient>();
  readonly #progress: ReadProgress;

  /** @param showProgress shows how far the reads are, if they take long */
  constructor(showProgress: (text: string) => void) {
    this.#progress = new ReadProgress(showProgress);
  }

  /**
   * Reads settings. No message quotes arguments that are invalid, since they may be secrets.
   * @throws AgentLogConfigError for settings and arguments that are invalid, and for a read that failed
   */
  read(connection: ConnectionSettings, args: UncheckedRead): Promise<AgentLogConfigResult> {
    return this.#progress.during(async (onRetry) => {
      // The import itself fails on a runtime that is not supported.
      const { openClient } = await import("./open-client.ts");
      const key = connectionKey(connection);
      // A client that can't be opened is not kept, because the message names the places of the settings, and these may be others in
      // an equal connection.
      const client = this.#clients.get(key) ?? openClient(connection);
      this.#clients.set(key, client);
      return readUsable(connection, client, args, { onRetry, isSecret: true });
    });
  }
}

/** Reads settings that the engine does not misread. */
export async function readUsable(
  connection: ConnectionSettings,
  client: AgentLogConfigClient,
  args: UncheckedRead,
  options: ReadOptions,
): Promise<AgentLogConfigResult> {
  const result = await client.get(args, options).catch((error) => {
    throw error instanceof AgentLogConfigError ? withPlacesOfKey(error, connection) : error;
  });
  refuseEngineMarks(result);
  return result;
}

/** Says of a wrong key where its halves come from, if they come from two places. */
function withPlacesOfKey(
  error: AgentLogConfigError,
  { publicKey, privateKey }: ConnectionSettings,
): AgentLogConfigError {
  if (error.code !== "ERR_WRONG_KEY" || publicKey?.source === privateKey?.source) return error;
  return error.advised(`publicKey comes from ${publicKey?.place}, and privateKey from ${privateKey?.place}.`);
}
