import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { AgentLogConfigError } from "../client/errors.ts";
import { ReadGate } from "../client/read-gate.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import { refuseEngineMarks } from "./engine-marks.ts";

/** A client, or what replaces every client in a unit test. */
export interface SettingsReader {
  get(args: unknown, options?: { readonly gate?: ReadGate }): Promise<AgentLogConfigResult>;
  /** In a unit test, takes the error of a resource that fails. */
  readonly onFailure?: ((error: AgentLogConfigError) => void) | undefined;
}

/** The gate of each connection. What it remembers counts as long as these gates are used. */
export type ReadGates = Map<string, ReadGate>;

/** A process has one client for each connection, so that all reads share its sockets and its nonce. */
const clients = new Map<string, Promise<SettingsReader>>();
const gatesOfProcess: ReadGates = new Map();
let replacement: SettingsReader | undefined;

/**
 * Reads settings for Pulumi, with the one client that this process has for the connection.
 * @param args the arguments of a read, not checked yet
 * @param gates those of the program; without them, those of the process
 * @throws AgentLogConfigError for settings and arguments that can't work, and for a read that failed
 */
export async function readSettings(
  connection: ConnectionSettings,
  args: unknown,
  gates: ReadGates = gatesOfProcess,
): Promise<AgentLogConfigResult> {
  const key = JSON.stringify(connection);
  const client = replacement ?? (await clientOf(connection, key));
  const gate = gates.get(key) ?? new ReadGate();
  gates.set(key, gate);
  const result = await client.get(args, { gate });
  refuseEngineMarks(result);
  return result;
}

/** Uses this reader instead of any client until the returned function is called or another reader takes its place. */
export function replaceClients(reader: SettingsReader): () => void {
  replacement = reader;
  return () => {
    if (replacement === reader) replacement = undefined;
  };
}

export function clientsAreReplaced(): boolean {
  return replacement !== undefined;
}

/**
 * Tells a unit test of a resource that fails, since it has no engine that would report it: `onFailure` takes the error, else a
 * rejection that nobody handles fails the test.
 */
export function failTest(error: unknown): void {
  const onFailure = replacement?.onFailure;
  if (onFailure !== undefined && error instanceof AgentLogConfigError) onFailure(error);
  else void Promise.reject(error);
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
