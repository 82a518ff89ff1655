import type { AgentLogConfigClient, ReadOptions } from "../client/agent-log-config-client.ts";
import { ReadGate } from "../client/read-gate.ts";
import { refuseEngineMarks } from "../engine/engine-marks.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { type ConnectionSettings, connectionKey } from "./connection-settings.ts";
import type { ReadProgress } from "./read-progress.ts";

/** The arguments of a read, not checked yet. */
export interface UncheckedRead {
  readonly projectId?: unknown;
  readonly agent?: unknown;
}

/**
 * A process has one client for each connection, so that all reads, even those of several programs, share its sockets and its
 * nonces. The clients end with the process: their sockets do not keep it alive.
 */
const clients = new Map<string, AgentLogConfigClient>();

/** Reads settings for one run. In a run, the errors of a connection's reads decide whether its later reads are sent. */
export class SettingsReader {
  readonly #gates = new Map<string, ReadGate>();

  /**
   * Reads settings. No message quotes arguments that are invalid, since they may be secrets.
   * @throws AgentLogConfigError for settings and arguments that are invalid, and for a read that failed
   */
  read(connection: ConnectionSettings, args: UncheckedRead, progress: ReadProgress): Promise<AgentLogConfigResult> {
    const key = connectionKey(connection);
    const gate = this.#gates.get(key) ?? new ReadGate();
    this.#gates.set(key, gate);
    return progress.during((onRetry) => readOver(key, connection, args, { gate, onRetry }));
  }
}

/**
 * Reads settings outside of a run. Only the errors of reads that are under way at the same time decide whether others are sent.
 * @throws AgentLogConfigError as {@link SettingsReader.read}
 */
export function readAlone(connection: ConnectionSettings, args: UncheckedRead): Promise<AgentLogConfigResult> {
  return readOver(connectionKey(connection), connection, args, {});
}

/** @param key that of the connection */
async function readOver(
  key: string,
  connection: ConnectionSettings,
  args: UncheckedRead,
  options: ReadOptions,
): Promise<AgentLogConfigResult> {
  // The import itself fails on a runtime that is not supported.
  const { openClient } = await import("./open-client.ts");
  // A client that can't be opened is not kept, because the message names the places of the settings, and these may be others in an
  // equal connection.
  const client = clients.get(key) ?? openClient(connection);
  clients.set(key, client);
  return readUsable(connection, client, args, { ...options, isSecret: true });
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
