import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { ReadGate } from "../client/read-gate.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import { refuseEngineMarks } from "./engine-marks.ts";

/** A client, which checks the arguments. */
export interface SettingsReader {
  get(
    args: unknown,
    options?: { readonly gate?: ReadGate; readonly isSecret?: boolean },
  ): Promise<AgentLogConfigResult>;
}

/** The gate of each connection. What it remembers counts as long as these gates are used. */
export type ReadGates = Map<string, ReadGate>;

/** A process has one client for each connection, so that all reads share its sockets and its nonce. */
const clients = new Map<string, Promise<SettingsReader>>();
const gatesOfProcess: ReadGates = new Map();

/**
 * Reads settings for Pulumi, with the one client that this process has for the connection.
 * @param args the arguments of a read, not checked yet
 * @param gates those of the program; without them, those of the process
 * @param isSecret the arguments may have secrets, so that no message may quote them
 * @throws AgentLogConfigError for settings and arguments that can't work, and for a read that failed
 */
export async function readSettings(
  connection: ConnectionSettings,
  args: unknown,
  gates: ReadGates = gatesOfProcess,
  isSecret = true,
): Promise<AgentLogConfigResult> {
  const key = JSON.stringify(connection);
  const client = await clientOf(connection, key);
  const gate = gates.get(key) ?? new ReadGate();
  gates.set(key, gate);
  const result = await client.get(args, { gate, isSecret });
  refuseEngineMarks(result);
  return result;
}

function clientOf(connection: ConnectionSettings, key: string): Promise<SettingsReader> {
  const client = clients.get(key) ?? open(connection);
  clients.set(key, client);
  // The cause, such as a missing file, may be gone at the next read.
  client.catch(() => clients.delete(key));
  return client;
}

async function open(connection: ConnectionSettings): Promise<SettingsReader> {
  // The import itself fails on a runtime that is not supported.
  const { openClient } = await import("./open-client.ts");
  return openClient(connection);
}
